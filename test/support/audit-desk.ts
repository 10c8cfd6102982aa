import { expect } from "vitest";
import { HEADER, hmac, type Receive, startReceiver, stillSystem, take } from "../audit/receivers.js";
import { DASHBOARD, type PageAnswer, visit, type Visitor } from "./dashboard.js";
import { gate } from "./live.js";
import { openWorld, type TestWorld, type WorldOptions } from "./world.js";

/** The default company's secret key. */
export const SECRET_KEY = "secret_sandbox";

export const sound: Receive = ({ headers, body }) =>
  headers[HEADER] === hmac(body, "base64", SECRET_KEY) ? take(body) : 401;
/** Accepts a signature in hex, the classic mistake, as well as a correct one. */
export const takesHex: Receive = ({ headers, body }) =>
  headers[HEADER] === hmac(body, "hex", SECRET_KEY) ? take(body) : sound({ headers, body, rawHeaders: [], method: "" });

export interface AuditDesk extends Visitor {
  readonly world: TestWorld;
  /** Sends the form, and follows the redirect to its result. */
  audit(fields: Readonly<Record<string, string>>, company?: string): Promise<PageAnswer>;
}

/** A dashboard with its page of audits, until the test ends. */
export async function openAuditDesk(options: WorldOptions = {}): Promise<AuditDesk> {
  const world = openWorld({ system: stillSystem, ...options });
  const visitor = visit(world.app);
  await visitor.get(`${DASHBOARD}/audit`);
  return Object.assign(visitor, {
    world,
    async audit(fields: Readonly<Record<string, string>>, company = "company_sandbox") {
      const path = `${DASHBOARD}/audit?company=${company}`;
      await visitor.get(path);
      const answer = await visitor.post(path, fields);
      expect(answer.status).toBe(303);
      const { pathname, search } = new URL(answer.headers.get("location") ?? "", `http://sandbox.test${path}`);
      return visitor.get(pathname + search);
    },
  });
}

/** A receiver that answers on demand. */
export async function startHeld() {
  const asked = gate();
  const answers = gate();
  const receiver = await startReceiver(async (incoming) => {
    asked.open();
    await answers.opened;
    return sound(incoming);
  });
  return { url: receiver.url, asked: asked.opened, open: () => answers.open(), received: receiver.received };
}
