import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { type SystemClock, systemClock } from "../../src/kernel/time/system-clock.js";
import { listen } from "../support/listen.js";

/** A clock in which answers take no time, so that no audit finds its receiver slow or silent because the machine is busy. */
export const stillSystem: SystemClock = { ...systemClock, monotonic: () => 0, after: () => () => undefined };

export const SECRET = "secret_of_the_tests";
export const HEADER = "x-service-hmac-sha256";

export interface Incoming {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As they were sent: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  readonly method: string;
  readonly body: Buffer;
}

/** Returns the status of the answer. An exception is answered with 500, as frameworks do. */
export type Receive = (incoming: Incoming) => number | Promise<number>;

export interface StartedReceiver {
  readonly url: string;
  /** The requests so far, in order. */
  readonly received: readonly Incoming[];
}

/** A receiver on a free port, until the test ends. */
export async function startReceiver(receive: Receive, headers: Record<string, string> = {}): Promise<StartedReceiver> {
  const received: Incoming[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<number> => {
      const body = await readBody(request);
      const { headers: names, rawHeaders, method = "" } = request;
      const incoming = { headers: names, rawHeaders, method, body };
      received.push(incoming);
      return receive(incoming);
    };
    answer().then(
      (status) => response.writeHead(status, headers).end(String(status)),
      () => response.writeHead(500).end(),
    );
  });
  return { url: `http://127.0.0.1:${await listen(server)}/webhooks`, received };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export const hmac = (
  body: string | Buffer,
  encoding: "base64" | "hex" | "base64url" = "base64",
  secret = SECRET,
): string => createHmac("sha256", secret).update(body).digest(encoding);

/** A correct receiver. */
export const isGenuine = (body: Buffer, header: unknown): boolean => {
  const expected = Buffer.from(hmac(body));
  const given = Buffer.from(typeof header === "string" ? header : "");
  return given.length === expected.length && timingSafeEqual(given, expected);
};

/** What a sound receiver does with a genuine event: 400 for what is none, 200 for the rest. */
export function take(body: Buffer): number {
  let event: unknown;
  try {
    event = JSON.parse(body.toString("utf8"));
  } catch {
    return 400;
  }
  return typeof event === "object" && event !== null && "topic" in event && "data" in event ? 200 : 400;
}

export const sound: Receive = ({ headers, body }) => (isGenuine(body, headers[HEADER]) ? take(body) : 401);

/** Sound, except for how it finds the signature. */
export const verifiedBy =
  (verify: (body: Buffer, header: string | undefined, incoming: Incoming) => boolean): Receive =>
  (incoming) => {
    const header = incoming.headers[HEADER];
    return verify(incoming.body, typeof header === "string" ? header : undefined, incoming) ? take(incoming.body) : 401;
  };
