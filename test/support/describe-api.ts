import supertest from "supertest";
import { afterEach, describe, expect } from "vitest";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import { advance } from "../../src/sandbox/company/advance.js";
import { parseDuration } from "../../src/kernel/time/duration.js";
import { documentedApi } from "./documented.js";
import { type Answer, createWorld, type GivenHeaders, type TestWorld, type WorldOptions } from "./world.js";

export interface ApiWorld extends TestWorld {
  /** Advances the default company's clock. */
  readonly advance: (by: string) => Promise<void>;
}

export type OpenWorld = (options?: WorldOptions) => Promise<ApiWorld>;

/**
 * Runs the tests twice: in process (`app.request`) and over TCP (supertest). `open` makes a world that is closed after the test; a logged bug fails
 * the test.
 */
export function describeApi(name: string, define: (open: OpenWorld) => void): void {
  describe.each(["in process", "over TCP"] as const)(`${name}, %s`, (transport) => {
    const open = useWorlds();
    define(async (options) => {
      const world = await open(options);
      return transport === "in process" ? world : overTcp(world, await world.listen());
    });
  });
}

/** Worlds that are closed after each test, and must not have logged a bug. */
export function useWorlds(): OpenWorld {
  const opened: TestWorld[] = [];
  const bugs: unknown[] = [];
  afterEach(async () => {
    for (const world of opened.splice(0)) await world.close();
    expect(bugs.splice(0), "bugs that the sandbox logged").toEqual([]);
  });
  return async (options) => {
    const world = createWorld({
      log: { write: (level, event, fields) => void (level === "error" && bugs.push({ event, ...fields })) },
      ...options,
    });
    opened.push(world);
    return {
      ...world,
      async advance(by) {
        await advance(world.sandbox.defaultCompany, { byMs: parseDuration(by) });
      },
    };
  };
}

function overTcp(world: ApiWorld, url: string): ApiWorld {
  return {
    ...world,
    api: documentedApi(world.sandbox, (method, path, body, headers) =>
      send(url, method, path, body, { ...credentials, ...headers }),
    ),
  };
}

const credentials: GivenHeaders = {
  authorization: `Bearer ${DEFAULT_COMPANY.token}`,
  "x-company-id": DEFAULT_COMPANY.id,
};

/** A string is sent unchanged, anything else as JSON, undefined not at all; a header that is null is left out. */
async function send(url: string, method: string, path: string, body: unknown, given: GivenHeaders): Promise<Answer> {
  const headers = body === undefined ? given : { "content-type": "application/json", ...given };
  const call = supertest(url)[verbOf(method)](path);
  for (const [name, value] of Object.entries(headers)) if (value !== null) call.set(name, value);
  if (body !== undefined) call.serialize(String).send(typeof body === "string" ? body : JSON.stringify(body));
  const response = await call.redirects(0);
  const text = response.text ?? "";
  const answered = new Headers(response.headers);
  return { status: response.status, headers: answered, text, body: text === "" ? undefined : JSON.parse(text) };
}

const verbs = ["get", "post", "put", "patch", "delete", "head", "options"] as const;

function verbOf(method: string): (typeof verbs)[number] {
  const verb = verbs.find((name) => name === method.toLowerCase());
  if (verb === undefined) throw new Error(`supertest sends no ${method}: use sendRaw.`);
  return verb;
}
