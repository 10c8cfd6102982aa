import { describe, expect, it } from "vitest";
import { operationIds, operations } from "../../src/contract/operations.js";
import { acceptedProfile } from "../support/profiles.js";
import { readPage } from "../support/markdown.js";

describe("docs/api.md", () => {
  const { http } = acceptedProfile().profile;
  const statusOf = { "http.createdStatus": http.createdStatus, "http.actionStatus": http.actionStatus };
  const [endpoints] = readPage("docs/api.md").tables;

  it.each(operationIds.map((id) => [operations[id]]))("has $method $path with its statuses", (operation) => {
    const { method, path, success, errors } = operation;
    const row = endpoints?.rows.find(([endpoint]) => endpoint?.startsWith(`\`${method} ${path}\``));
    const [, , succeeds = "", fails = ""] = row ?? [];
    const status = typeof success === "number" ? success : statusOf[success];
    expect(/^\d{3}/.exec(succeeds)?.[0]).toBe(String(status));
    const named = [...fails.matchAll(/\b[45]\d\d\b/g)].map(([code]) => Number(code));
    expect(named).toEqual(errors.map((row) => row.status).filter((code) => code !== 401 && code !== 403));
  });

  it("has no other endpoints", () => {
    expect(endpoints?.rows).toHaveLength(operationIds.length);
  });
});
