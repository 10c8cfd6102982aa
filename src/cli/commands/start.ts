import { isLoopback } from "../../http/shared/loopback.js";
import { toIso } from "../../kernel/instant.js";
import { VERSION } from "../../kernel/version.js";
import type { Fields } from "../log.js";
import { dashboardOf, openBrowser } from "../open-browser.js";
import { colorsFor, printData } from "../output.js";
import { prepareStart, type PreparedStart } from "../prepare-start.js";
import { beginSession } from "../session.js";
import { runSandbox, type RunningSandbox } from "../run-sandbox.js";
import type { StartFlags } from "../start-options.js";
import { renderStartupScreen } from "../startup-screen.js";
import { nextStopSignal } from "../stop-signal.js";

/** `sandbox start`: runs until a signal stops it. */
export async function start(flags: StartFlags): Promise<void> {
  const stopSignal = nextStopSignal();
  const prepared = await prepareStart(flags, process.env);
  const running = await runSandbox(prepared);
  const session = await beginSession(running, prepared);
  if (prepared.log.style === "pretty") {
    showScreen(running);
    running.log.open();
  } else {
    running.log.open({ event: "listening", fields: listeningFields(running) });
  }
  warnIfExposed(running, prepared);
  if (prepared.open) openBrowser(dashboardOf(running.url), running.log);
  session.play();
  await stopSignal;
  await running.stop();
  await session.end();
}

function showScreen({ sandbox, url }: RunningSandbox): void {
  const { defaultCompany: company, options } = sandbox;
  const { identity } = company.record;
  const screen = renderStartupScreen(
    {
      url,
      publicUrl: options.publicUrl,
      accessToken: identity.tokens[0]?.token ?? "",
      companyId: company.id,
      secretKey: identity.secretKey,
      otherCompanies: sandbox.companies.length - 1,
      clock: { mode: company.clock.mode, now: company.now() },
      seed: options.seed,
      testNumbers: company.profile.testNumbers,
      hasAdminToken: options.adminToken !== undefined,
    },
    colorsFor(process.stdout),
  );
  printData(screen);
}

/** No token and no key: the lines of a log go far. */
function listeningFields({ sandbox, url }: RunningSandbox): Fields {
  const { defaultCompany: company, options } = sandbox;
  const now = toIso(company.now());
  return {
    // In this line alone it is the company's.
    time: now,
    url,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    companyId: company.id,
    clock: { mode: company.clock.mode, now },
    version: VERSION,
  };
}

function warnIfExposed({ log }: RunningSandbox, { serve: { host }, options: { adminToken } }: PreparedStart): void {
  if (isLoopback(host) || adminToken !== undefined) return;
  log.write("warn", "control-api-exposed", {
    message: `Whoever reaches ${host} can use the control API. Set --admin-token or SANDBOX_ADMIN_TOKEN.`,
  });
}
