import type { Transport } from "../../src/adapters/delivery/transport.js";
import { signBody } from "../../src/domain/deliveries/sign-delivery.js";
import type { Profile } from "../../src/domain/profile/profile.js";
import type { Sandbox } from "../../src/sandbox/sandbox.js";
import { credentials } from "./call.js";
import { prepareAnswer, preparePayloads, validateAnswer, validatePayload } from "./validate-answer.js";
import type { TestWorld } from "./world.js";

type CallApi = TestWorld["api"];

/** Wraps the calls: an answer that does not match the API description fails its test. */
export function documentedApi(sandbox: Sandbox, call: CallApi): CallApi {
  return async (method, path, body, headers) => {
    if (/^\/(?:_sandbox|checkout|openapi\.)/.test(path)) return call(method, path, body, headers);
    prepareAnswer(method, path, sandbox.companies[0]?.profile);
    const answer = await call(method, path, body, headers);
    const { authorization, "x-company-id": companyId } = { ...credentials, ...headers };
    const token = /^Bearer +(\S+)/i.exec(authorization ?? "")?.[1];
    // A request without a valid token is answered as the company that it names, or else as the first.
    const named = token === undefined ? undefined : (sandbox.findByToken(token) ?? sandbox.findHolder(token));
    const company = named ?? sandbox.findCompany(companyId ?? "") ?? sandbox.companies[0];
    validateAnswer({ method, path, status: answer.status, body: answer.body }, company?.profile);
    return answer;
  };
}

/** Wraps the transport: a payload that does not match the API description is reported, since a receiver cannot fail a test. */
export function documentedTransport(
  transport: Transport,
  sandbox: () => Sandbox,
  report: (problem: unknown) => void,
): Transport {
  return {
    send(request) {
      try {
        const payload = JSON.parse(request.body.toString());
        const profile = senderOf(sandbox(), request.headers, request.body.toString());
        preparePayloads(profile);
        validatePayload(payload.topic, payload, profile);
      } catch (problem) {
        report(problem);
      }
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}

/** The signature identifies the company of a payload. */
function senderOf(
  { companies }: Sandbox,
  headers: Readonly<Record<string, string>>,
  body: string,
): Profile | undefined {
  const sender = companies.find(
    ({ profile, record }) => headers[profile.webhooks.signatureHeader] === signBody(body, record.identity.secretKey),
  );
  return (sender ?? companies[0])?.profile;
}
