import type { Operation } from "../../contract/operations.js";
import type { Query } from "../../contract/queries-wire.js";
import { refuse } from "../../domain/problem-codes.js";
import type { Profile } from "../../domain/profile/profile.js";
import type { Company, Operation as DomainOperation } from "../../sandbox/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { afterAnswer } from "../after-answer.js";
import type { HttpContext } from "../env.js";
import { readJson } from "../read-body.js";
import { answerJson, answerProblem } from "./answer.js";
import { authenticate, checkCompanyHeader } from "./authenticate.js";
import type { AdmitRequest } from "./rate-limit.js";

/** One request, read and checked, as a handler sees it. */
export interface Call {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly profile: Profile;
  /** The parsed JSON; undefined when there was no body. */
  readonly body: unknown;
  readonly query: Query;
  /** The path's `:id`. */
  readonly id: string;
  /** Where payment pages stand, for this caller. */
  readonly checkoutUrl: string;
  /** Everything of the operation or nothing; its webhooks go out once this request is answered. */
  run<Input, Output>(operation: DomainOperation<Input, Output>, input: Input): Output;
}

/** Parses once, runs one operation, renders once. What it returns is the body; undefined for 204. */
export interface Handler {
  /** What has to be loaded before the synchronous step. */
  readonly prepare?: (company: Company) => Promise<void> | undefined;
  readonly handle: (call: Call) => unknown;
}

export interface EndpointDeps {
  readonly sandbox: Sandbox;
  readonly admit: AdmitRequest;
}

/**
 * The way of every request: token (401), company (400/403), body, then everything that is due, and in one synchronous step shape (400),
 * existence (404), state (422) and conflict (409). The answer leaves when its state is kept.
 */
export function createEndpoint({ sandbox, admit }: EndpointDeps, operation: Operation, handler: Handler) {
  return async (c: HttpContext): Promise<Response> => {
    let company: Company | undefined;
    try {
      company = authenticate(c, sandbox);
      const wait = admit(company);
      if (wait !== undefined) return answerLimited(sandbox, company, c.req.path, wait);
      checkCompanyHeader(c, company, operation);
      const { profile } = company;
      const body = operation.body === "none" ? undefined : await readJson(c, profile.server.bodyLimit);
      await handler.prepare?.(company);
      for (let due = company.ready(); due !== undefined; due = company.ready()) await due;
      const result = handler.handle(createCall(c, sandbox, company, body));
      await sandbox.durable();
      return answerJson(sandbox, company, successStatus(operation, profile), result);
    } catch (thrown) {
      return answerProblem(sandbox, company, c.req.path, thrown);
    }
  };
}

function createCall(c: HttpContext, sandbox: Sandbox, company: Company, body: unknown): Call {
  const gate = afterAnswer(c, sandbox.system);
  return {
    sandbox,
    company,
    profile: company.profile,
    body,
    get query() {
      return c.req.query();
    },
    get id() {
      return c.req.param("id") ?? "";
    },
    get checkoutUrl() {
      return `${sandbox.options.publicUrl ?? originOf(c.req.url)}/checkout/`;
    },
    run: (domainOperation, input) => company.run(domainOperation, input, gate),
  };
}

export function successStatus(operation: Operation, profile: Profile): number {
  if (operation.success === "http.createdStatus") return profile.http.createdStatus;
  return operation.success === "http.actionStatus" ? profile.http.actionStatus : operation.success;
}

/** `http://host:port` of an absolute URL, cheaper than parsing it: this runs on every charge that is created. */
function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
}

function answerLimited(sandbox: Sandbox, company: Company, path: string, waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1000);
  try {
    refuse("rate_limited", `Too many requests; the next is admitted in ${seconds} s`);
  } catch (problem) {
    return answerProblem(sandbox, company, path, problem, { "retry-after": String(seconds) });
  }
}
