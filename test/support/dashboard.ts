import type { Hono } from "hono";
import type { HttpEnv } from "../../src/http/shared/env.js";

/** An answer of the dashboard, as seen without a script. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text, without tags and with entities resolved. */
  readonly text: string;
  /** The curl commands on the page. */
  readonly commands: readonly string[];
}

/** A browser without a script: it keeps cookies, follows redirects on request, and sends the forms of its last page. */
export interface Visitor {
  /** Reads a page by its whole path: `/_sandbox/dashboard/clock`. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<PageAnswer>;
  /** Sends a form with the token of the last page. */
  post(
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string | null>>,
  ): Promise<PageAnswer>;
  /** Posts the action and follows the redirect to its result. */
  act(name: string, fields?: Readonly<Record<string, string>>, company?: string): Promise<PageAnswer>;
  readonly cookies: Map<string, string>;
}

export const ORIGIN = "http://localhost:4010";
export const DASHBOARD = "/_sandbox/dashboard";

export function visit(app: Hono<HttpEnv>, origin = ORIGIN): Visitor {
  const cookies = new Map<string, string>();
  let last: { readonly path: string; readonly html: string } | undefined;
  const ask = async (method: string, path: string, init: RequestInit): Promise<PageAnswer> => {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(origin).host);
    if (cookies.size > 0) headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const response = await app.request(origin + path, { ...init, method, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name === undefined || value === undefined) continue;
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const html = await response.text();
    if (html !== "") last = { path, html };
    return {
      status: response.status,
      headers: response.headers,
      html,
      text: readable(html),
      commands: commandsIn(html),
    };
  };
  return {
    cookies,
    get: (path, headers = {}) => ask("GET", path, { headers: { accept: "text/html", ...headers } }),
    post(path, fields = {}, given = {}) {
      const formToken = /name="formToken" value="([^"]*)"/.exec(last?.html ?? "")?.[1] ?? "";
      const back = unescape(/name="back" value="([^"]*)"/.exec(last?.html ?? "")?.[1] ?? "");
      const headers = new Headers({ "content-type": "application/x-www-form-urlencoded", origin });
      for (const [name, value] of Object.entries(given)) {
        if (value === null) headers.delete(name);
        else headers.set(name, value);
      }
      return ask("POST", path, { headers, body: String(new URLSearchParams({ formToken, back, ...fields })) });
    },
    async act(name, fields, company = "company_sandbox") {
      const answer = await this.post(`${DASHBOARD}/actions/${name}?company=${encodeURIComponent(company)}`, fields);
      const { pathname, search } = new URL(
        answer.headers.get("location") ?? "",
        `${origin}${DASHBOARD}/actions/${name}`,
      );
      return this.get(pathname + search);
    },
  };
}

/** Sends the sign-in page's form. */
export async function signIn(visitor: Visitor, token = "s3cret"): Promise<PageAnswer> {
  await visitor.get(`${DASHBOARD}/sign-in`);
  return visitor.post(`${DASHBOARD}/sign-in`, { token });
}

function commandsIn(html: string): readonly string[] {
  return [...html.matchAll(/aria-label="Command: [^"]*">([^<]*)<\/code>/g)].map(([, line]) => unescape(line ?? ""));
}

function readable(html: string): string {
  return unescape(html.replaceAll(/<[^>]*>/g, " ")).replaceAll(/\s+/g, " ");
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function unescape(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? "");
}
