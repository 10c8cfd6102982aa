import type { MiddlewareHandler } from "hono";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpEnv } from "./env.js";

/** Before any request is handled, everything due at or before the company's now has happened. */
export async function makeReady(company: Company): Promise<void> {
  for (let due = company.ready(); due !== undefined; due = company.ready()) {
    await due;
    await company.nextTurn();
  }
}

/**
 * Calls `act` with the company once it is prepared and everything due has happened. It does so in the same synchronous step as `find`, which returns the
 * company that a reset or a restore has put in its place meanwhile.
 */
export async function whenReady<T>(
  company: Company,
  find: (company: Company) => Company,
  act: (company: Company) => T | Promise<T>,
  prepare?: (company: Company) => Promise<void> | undefined,
): Promise<T> {
  for (let current = company; ;) {
    await prepare?.(current);
    await makeReady(current);
    const found = find(current);
    if (found === current) return act(current);
    current = found;
  }
}

/** Sends an answer once everything that it may report is stored. */
export function onceStored({ store }: Sandbox): MiddlewareHandler<HttpEnv> {
  return async (_, next) => {
    await next();
    await store.durable(false);
  };
}

/** The answer for a company that was closed to be moved. The client may try again. */
export const MOVING = {
  status: 503,
  messages: ["The company is being moved to another sandbox; try again"],
  headers: { "retry-after": "1" },
} as const;
