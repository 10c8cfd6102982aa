import { join } from "node:path";
import type { HeaderList, HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { folderWith } from "../support/folder.js";

/** How a tool writes an exchange into an archive. */
export type Entry = (exchange: HttpExchange) => object;

export const namesOf = (headers: HeaderList) => headers.map(([name, value]) => ({ name, value }));
export const iso = (at: number): string => new Date(at).toISOString();
export const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
export const json = "application/json";

export const playwright: Entry = ({ startedAt, method, url, headers, body, answer }) => ({
  startedDateTime: iso(startedAt),
  time: 2.53,
  request: {
    method,
    url,
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: namesOf(headers),
    queryString: [],
    headersSize: 500,
    bodySize: body?.length ?? 0,
    ...(body === undefined ? {} : { postData: { mimeType: json, text: textOf(body), params: [] } }),
  },
  response: {
    status: answer?.status,
    statusText: "OK",
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: namesOf(answer?.headers ?? []),
    content: { size: answer?.body.length, mimeType: json, compression: 0, text: textOf(answer?.body) },
    headersSize: 200,
    bodySize: 100,
    redirectURL: "",
    _transferSize: 300,
  },
  cache: {},
  timings: { dns: -1, connect: -1, ssl: -1, send: 0, wait: 2, receive: 0.53 },
  pageref: "page@1",
  serverIPAddress: "127.0.0.1",
  _serverPort: 4010,
  _securityDetails: {},
});

/** Writes an archive. Returns the path of its file. */
export const write = async (log: object): Promise<string> => {
  const cwd = await folderWith({ "traffic.har": JSON.stringify({ log: { version: "1.2", ...log } }) });
  return join(cwd, "traffic.har");
};
