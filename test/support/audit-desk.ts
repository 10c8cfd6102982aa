import { expect, onTestFinished } from "vitest";
import { HEADER, hmac, type Receive, stillSystem, take } from "../audit/receivers.js";
import { DASHBOARD, type PageAnswer, visit, type Visitor } from "./dashboard.js";
import { createWorld, type TestWorld, type WorldOptions } from "./world.js";

/** The default company's secret key. */
export const SECRET_KEY = "secret_sandbox";

export const sound: Receive = ({ headers, body }) =>
  headers[HEADER] === hmac(body, "base64", SECRET_KEY) ? take(body) : 401;
/** The classic mistake, beside what is right. */
export const takesHex: Receive = ({ headers, body }) =>
  headers[HEADER] === hmac(body, "hex", SECRET_KEY) ? take(body) : sound({ headers, body, rawHeaders: [], method: "" });

export interface Desk extends Visitor {
  readonly world: TestWorld;
  /** Sends the form, and follows to the page that it leads to. */
  audit(fields: Readonly<Record<string, string>>, company?: string): Promise<PageAnswer>;
}

/** A dashboard with its page of audits, until the test ends. */
export async function openDesk(options: WorldOptions = {}): Promise<Desk> {
  const world = createWorld({ system: stillSystem, ...options });
  onTestFinished(() => world.close());
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
