import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../src/kernel/messages/json.js";
import supertest from "supertest";
import { afterEach, describe, expect, inject } from "vitest";
import { defaultProfile } from "../../src/domain/profile/parse-profile.js";
import { advance } from "../../src/sandbox/company/advance.js";
import { parseDuration } from "../../src/kernel/time/duration.js";
import { credentials } from "./call.js";
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
    api: documentedApi(world.sandbox, (method, path, body, given = {}) => {
      const headers = { ...credentials, ...given };
      const prism = inject("prism");
      return prism !== undefined && isForPrism(world, method, path, body, given)
        ? sendThrough(prism.url, method, path, body, { ...headers, [prism.upstreamHeader]: url })
        : send(url, method, path, body, headers);
    }),
  };
}

/** Whether a request can go through Prism, which knows the API under the default profile, and passes on the parsed JSON and not the bytes of a request. */
function isForPrism({ sandbox }: ApiWorld, method: string, path: string, body: unknown, given: GivenHeaders): boolean {
  if (method === "HEAD" || !path.startsWith("/v1/") || path.includes("//") || "content-type" in given) return false;
  const isPlain =
    body === undefined || (method === "POST" && isObject(body) && JSON.stringify(body).length < BODY_LENGTH_MAX);
  return isPlain && sandbox.companies.every(({ profile }) => isDeepStrictEqual(profile, defaultProfile()));
}

/** The problems of longer bodies do not fit into the header in which Prism reports them. */
const BODY_LENGTH_MAX = 10_000;

async function sendThrough(
  prism: string,
  method: string,
  path: string,
  body: unknown,
  headers: GivenHeaders,
): Promise<Answer> {
  const answer = await send(prism, method, path, body, headers);
  const violations: { location: string[] }[] = JSON.parse(answer.headers.get("sl-violations") ?? "[]");
  const ours = violations.filter(({ location }) => location[0] !== "request");
  // Prism handles other methods of /v1/transactions/batch as /v1/transactions/{id}.
  if (answer.status !== 405) expect(ours, `Prism on ${method} ${path}, ${answer.status}`).toEqual([]);
  return answer;
}

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
