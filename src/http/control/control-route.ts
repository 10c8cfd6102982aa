import * as z from "zod";
import { parseRequest } from "../../contract/parse.js";
import type { ErrorStatus } from "../../contract/problems.js";
import type { PageBody } from "../../contract/resources.js";
import { object } from "../../kernel/fields.js";
import type { JsonBounds } from "../../kernel/messages/json.js";
import { type ListRequest, listPage } from "../../kernel/records/page.js";
import type { Row, Table } from "../../kernel/records/table.js";
import type { Company, Operation } from "../../sandbox/company/company.js";
import type { ReleaseGate } from "../../sandbox/company/release-gate.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { ExtraHeaders } from "../api/answer.js";
import type { Caller } from "../shared/caller.js";
import { type Query, pagingFields, renderFittingPage } from "../../contract/queries.js";

/** One call of the control API, read and checked, as a handler sees it. */
export interface ControlCall<Given = Query, Body = unknown> {
  readonly sandbox: Sandbox;
  readonly caller: Caller;
  /** The company that the call is about; undefined for all companies and for the sandbox itself. */
  readonly company: Company | undefined;
  /** The id of the company as the call names it: `?company=`, or the tenant's. */
  readonly companyId: string | undefined;
  /** The other query parameters. */
  readonly query: Given;
  /** The path's `:id`. */
  readonly id: string;
  /** The parsed JSON. */
  readonly body: Body;
  /** The body as it was sent, for a route that takes bytes. */
  readonly bytes: Buffer;
  /** Aborted when the client has left or the server begins to stop. */
  readonly ended: () => AbortSignal;
  /** Sends webhooks once this call is answered. */
  readonly gate: ReleaseGate;
  /** Answers an error with more members in its body than a thrown one has. */
  readonly refuse: (refusal: Refusal) => Response;
}

/** A call about one company, in which everything that is due has happened. */
export interface CompanyCall<Given = Query, Body = unknown> extends ControlCall<Given, Body> {
  readonly company: Company;
  /** Runs an operation completely or not at all. Its webhooks are sent once this call is answered. */
  readonly run: <Input, Output>(operation: Operation<Input, Output>, input: Input) => Output;
}

export interface Refusal {
  readonly status: ErrorStatus | 503;
  readonly messages: readonly string[];
  readonly headers?: ExtraHeaders;
  /** Members of the body besides those that every error has. */
  readonly more?: Readonly<Record<string, unknown>>;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface RouteBase {
  /** By default the tenant of the company for a route about that company, otherwise an administrator. */
  readonly access?: "anyone";
  /** By default 204 without a body for DELETE, otherwise 200. */
  readonly success?: 201;
  /** Takes the body as bytes. */
  readonly takesBytes?: true;
  /** Bytes, by default {@link CONTROL_BODY_LIMIT}. */
  readonly bodyLimit?: number;
  /** By default those of the API under test. */
  readonly bounds?: JsonBounds;
}

/**
 * A row of the control API's table. `company` says what a call is about: the company `selected` by `?company=`, by default the first one; the company
 * that the `path` names; the selected company or, for `*`, `all` companies; or `none`. `handle` returns the body, a whole answer, or a promise of
 * either.
 */
export type ControlRoute = RouteBase & {
  readonly method: Method;
  /** Below `/_sandbox`. `:id` stands for the id of what the call is about. */
  readonly path: string;
  /** The names of its query parameters other than `company`. */
  readonly parameters: readonly string[];
  readonly takesJson: boolean;
} & (
    | { readonly company: "selected" | "path"; readonly handle: (call: CompanyCall) => unknown }
    | { readonly company: "all" | "none"; readonly handle: (call: ControlCall) => unknown }
  );

/** A schema of query parameters, each of which is a text. */
type QuerySchema<Given> = z.ZodType<Given> & { readonly shape: object };

interface RouteInput<Given, Body> extends RouteBase {
  readonly query?: QuerySchema<Given>;
  readonly body?: z.ZodType<Body>;
}

interface CompanyRouteInput<Given, Body> extends RouteInput<Given, Body> {
  readonly company?: "selected" | "path";
}

/** Such as `GET /clock`. */
type MethodAndPath = `${Method} /${string}`;

/** A route about one company. Its query and its body are parsed once everything due has happened. */
export function route<Given = undefined, Body = undefined>(
  call: MethodAndPath,
  { company = "selected", ...input }: CompanyRouteInput<Given, Body>,
  handle: (call: CompanyCall<Given, Body>) => unknown,
): ControlRoute {
  return { ...baseOf(call, input), company, handle: (call) => handle({ ...call, ...parse(call, input) }) };
}

interface SandboxRouteInput<Given, Body> extends RouteInput<Given, Body> {
  readonly company?: "all";
}

/** A route about the sandbox as a whole. */
export function sandboxRoute<Given = undefined, Body = undefined>(
  call: MethodAndPath,
  { company, ...input }: SandboxRouteInput<Given, Body>,
  handle: (call: ControlCall<Given, Body>) => unknown,
): ControlRoute {
  const about = company ?? "none";
  return { ...baseOf(call, input), company: about, handle: (call) => handle({ ...call, ...parse(call, input) }) };
}

function baseOf(call: MethodAndPath, { query, body, ...base }: RouteInput<unknown, unknown>) {
  const [method, path] = call.split(" ") as [Method, string];
  return { ...base, method, path, parameters: Object.keys(query?.shape ?? {}), takesJson: body !== undefined };
}

/** Without a schema the type parameter is `undefined`. */
function parse<Given, Body>(call: ControlCall, { query, body }: RouteInput<Given, Body>) {
  return {
    query: query === undefined ? (undefined as Given) : parseRequest(query, call.query, "query"),
    body: body === undefined ? (undefined as Body) : parseRequest(body, call.body),
  };
}

/** The rows of a list, and how to render one. */
export interface List<T extends Row, Body> extends Pick<ListRequest<T>, "newestFirst" | "where"> {
  readonly rows: Pick<Table<T>, "page">;
  readonly render: (row: T) => Body;
}

/** The default number of rows on a page, and the largest. */
const PAGE_LIMIT = 15;
const PAGE_LIMIT_MAX = 1000;

/** The query of a list: `limit`, `cursor` and these filters. */
export function listQuery<const Filters extends z.core.$ZodLooseShape>(filters: Filters) {
  return z.object({ ...pagingFields(PAGE_LIMIT, PAGE_LIMIT_MAX), ...filters });
}

export const pageQuery = listQuery({});

type Paging = z.infer<typeof pageQuery>;

/** GET of a list, answered in the contract's page shape `{count, limit, cursor: {prev, next}, data: […]}`, with a `limit` of up to 1000. */
export function listRoute<T extends Row, Given extends Paging>(
  path: `/${string}`,
  query: QuerySchema<Given>,
  list: (call: CompanyCall<Given, undefined>) => List<T, unknown>,
): ControlRoute {
  return route(`GET ${path}`, { query }, (call: CompanyCall<Given, undefined>) => pageOf(list(call), call.query));
}

export function pageOf<T extends Row, Body>(
  { rows, render, ...order }: List<T, Body>,
  { limit, cursor }: Paging,
): PageBody<Body> {
  return renderFittingPage(limit, (most) => listPage(rows, { limit: most, cursor, ...order }), render);
}

/** The default of `server.bodyLimit`. That setting does not apply here, because it may be so low that no call could set it back. */
export const CONTROL_BODY_LIMIT = 1024 * 1024;

/** A body that may be left out. */
export function optionalBody<T>(schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((body) => body ?? {}, schema);
}

/** For a call that takes no body: a body with members was probably meant for another call. */
export const noBody = optionalBody(object({}));
