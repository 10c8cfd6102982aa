import { LiveComparison, type LiveComparisonOptions } from "../../calibration/proxy/live-comparison.js";
import { subjectOf, describeDifference } from "../../calibration/report/reporters.js";
import type { Drift } from "../../calibration/report/report.js";
import { createApp } from "../../http/server/app.js";
import { createInProcessFetch } from "../../http/server/in-process-fetch.js";
import { listen } from "../../http/server/listen.js";

/** Compares the traffic of the real service with a sandbox, and serves that sandbox's dashboard. */
export async function startMirror(options: Omit<LiveComparisonOptions, "fetchTo">) {
  const server = await listen({ port: 0, host: "127.0.0.1" });
  const comparison: LiveComparison = new LiveComparison({
    ...options,
    fetchTo(sandbox) {
      sandbox.listensAt(server.url);
      const app = createApp(sandbox, { differences: () => comparison.differences().map(toRow) });
      server.answerWith(app);
      return createInProcessFetch(() => app);
    },
  });
  return {
    comparison,
    url: server.url,
    async close(): Promise<void> {
      await comparison.close();
      server.cutOff();
      await server.close();
    },
  };
}

function toRow(drift: Drift) {
  const { count, of, example } = drift;
  return { where: subjectOf(drift), what: describeDifference(drift), count, of, first: `#${example.exchange.index}` };
}
