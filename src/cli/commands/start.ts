import { addClosing, type Verb } from "../shared/help.js";
import { isLoopback } from "../../http/shared/loopback.js";
import { redactErrors } from "../../kernel/messages/problem.js";
import { toIso } from "../../kernel/time/instant.js";
import { VERSION } from "../../kernel/version.js";
import { TENANT_TOKEN_MIN } from "../../sandbox/provisioned.js";
import type { AccessToken } from "../../sandbox/state/company-record.js";
import type { Fields } from "../run/log.js";
import { dashboardOf, openBrowser, renderStartupScreen } from "../run/startup-screen.js";
import { colorsFor, printData } from "../shared/output.js";
import { type PreparedStart, prepareStart } from "../run/prepare-start.js";
import { type RunningSandbox, beginSession, redactorOf, runSandbox } from "../run/run-sandbox.js";
import { addStartOptions, type StartFlags } from "../run/start-options.js";
import { exitDespiteUnreadOutput, nextStopSignal, whenStoreLost } from "../run/stop.js";

export const verb: Verb = (command) => {
  command.description("Runs the sandbox until Ctrl-C or SIGTERM, and shows how to reach it.");
  addStartOptions(command).action(async (flags: StartFlags) => start(flags));
  addClosing(
    command,
    `Each option is also a variable, SANDBOX_PUBLIC_URL say, and a key of the
configuration, publicUrl in sandbox.config.yaml, .yml or .json. The option wins
over the variable, and the variable over the key. PORT counts where SANDBOX_PORT
is not set.`,
    `Examples:
  sandbox start --port 0 --log json             the first line has the url
  sandbox start --clock 2026-01-15T09:00:00Z    begin there
  sandbox start --fixtures customers.yaml --profile strict.yaml
  sandbox start --host 0.0.0.0 --admin-token "$TOKEN"`,
  );
};

async function start(flags: StartFlags): Promise<void> {
  const stopSignal = nextStopSignal();
  const prepared = await prepareStart(flags, process.env);
  await redactErrors(redactorOf(prepared.options).text, () => runUntil(stopSignal, prepared));
}

async function runUntil(stopSignal: Promise<unknown>, prepared: PreparedStart): Promise<void> {
  const running = await runSandbox(prepared);
  const session = await beginSession(running, prepared);
  try {
    if (prepared.log.style === "pretty") {
      printData(renderStartupScreen(running, colorsFor(process.stdout)));
      running.log.open();
    } else {
      running.log.open({ event: "listening", fields: listeningFields(running) });
    }
    warnIfExposed(running, prepared);
    if (prepared.open) openBrowser(dashboardOf(running.url), running.log);
    session.play();
    await Promise.race([stopSignal, whenStoreLost(running.sandbox)]);
  } finally {
    try {
      await running.stop();
    } finally {
      await session.end().finally(exitDespiteUnreadOutput);
    }
  }
}

/** The fields of the line that says where the sandbox listens. They have no credentials, since logs are kept and shared. */
function listeningFields({ sandbox, url }: RunningSandbox): Fields {
  const { options } = sandbox;
  const company = sandbox.findDefaultCompany();
  const now = company && toIso(company.now());
  return {
    // The company's time, unlike other lines.
    ...(now === undefined ? {} : { time: now }),
    url,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(company === undefined ? {} : { companyId: company.id, clock: { mode: company.clock.mode, now } }),
    version: VERSION,
  };
}

function warnIfExposed({ log, sandbox }: RunningSandbox, { serve: { host }, options }: PreparedStart): void {
  if (isLoopback(host)) return;
  const isGuessable = ({ token }: AccessToken): boolean => token.length < TENANT_TOKEN_MIN;
  const guessable = sandbox.companies.filter(({ record }) => record.identity.tokens.some(isGuessable));
  if (options.tenancy && guessable.length > 0) {
    const message = `Others may guess an access token of fewer than ${TENANT_TOKEN_MIN} characters, and drive its company.`;
    log.write("warn", "access-token-guessable", { companies: guessable.map(({ id }) => id).join(", "), message });
  }
  if (options.adminToken !== undefined) return;
  log.write("warn", "control-api-exposed", {
    message: `Anyone who reaches ${host} can use the control API. Set --admin-token or SANDBOX_ADMIN_TOKEN.`,
  });
}
