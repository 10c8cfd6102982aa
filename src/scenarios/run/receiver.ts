import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { signBody } from "../../domain/deliveries/sign-delivery.js";
import { isObject, parseJsonOrText } from "../../kernel/messages/json.js";

/** A webhook that reached the runner. */
export interface Received {
  readonly topic: string;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the signature in the header is that of the raw body under the secret key of one of the scenario's companies. */
  readonly genuine: boolean;
}

/** How one company signs webhooks. */
interface Signer {
  readonly secretKey: string;
  /** The name of the header, in lower case. */
  readonly header: string;
}

/** Called for each webhook, because a scenario may rotate the key or rename the header. */
type ListSigners = () => readonly Signer[];

const BODY_BYTES_MAX = 8 * 1024 * 1024;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** One server on loopback for all scenarios of a run, with a path for each. */
export async function startReceiver() {
  const inboxes = new Map<string, { signers: ListSigners; received: Received[] }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_BYTES_MAX) chunks.push(chunk);
    });
    request.on("error", () => undefined);
    request.on("end", () => {
      // URLs that differ in the query belong to one receiver.
      const inbox = inboxes.get((request.url ?? "").replace(/\?.*/s, ""));
      if (inbox === undefined || size > BODY_BYTES_MAX) {
        response.writeHead(inbox === undefined ? 410 : 413).end();
        return;
      }
      const received = parseWebhook(Buffer.concat(chunks), request, inbox.signers());
      inbox.received.push(received);
      // The contract: "If equal the payload is authentic; otherwise the request is to be rejected."
      response.writeHead(received.genuine ? 200 : 401).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    open(name: string, signers: ListSigners) {
      const path = `/${encodeURIComponent(name)}`;
      const received: Received[] = [];
      inboxes.set(path, { signers, received });
      const close = (): void => void inboxes.delete(path);
      return { url: `http://127.0.0.1:${port}${path}`, received: received as readonly Received[], close };
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The body may be truncated and not JSON. Its text is kept then, for messages. */
function parseWebhook(bytes: Buffer, request: IncomingMessage, signers: readonly Signer[]): Received {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const genuine = signers.some(({ header, secretKey }) => headers[header] === signBody(bytes, secretKey));
  const value = parseJsonOrText(bytes.toString("utf8"));
  const { topic, data }: Readonly<Record<string, unknown>> = isObject(value) ? value : { data: value };
  return { topic: typeof topic === "string" ? topic : "", data, headers, genuine };
}
