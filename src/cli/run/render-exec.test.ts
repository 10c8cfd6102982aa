import { expect, it } from "vitest";
import { renderExec } from "./render-exec.js";

it("a line to repeat a run is quoted for a shell, and holds no admin token", () => {
  const flags = { rules: ["it's.yaml"], seed: "1", tenancy: true, adminToken: "s3cret" } as const;
  const line = renderExec(["npm", "run", "pay now"], flags, ["PAY_URL=url"]);
  expect(line).toContain(`exec --rules 'it'\\''s.yaml' `);
  expect(line).toContain(' --admin-token "$SANDBOX_ADMIN_TOKEN"');
  expect(line).toContain(" --env PAY_URL=url -- npm run 'pay now'");
  expect(line).not.toContain("s3cret");
});
