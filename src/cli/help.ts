import type { Command } from "commander";
import { colorsFor } from "./output.js";

/** Told the exit code of a verb that chooses one. */
export type ExitWith = (code: number) => void;

/** Below the help, in the lines in which it is written: commander wraps only what it formats itself. */
export function addClosing(command: Command, ...paragraphs: readonly string[]): void {
  const { bold } = colorsFor(process.stdout);
  command.addHelpText("after", `\n${paragraphs.join("\n\n").replaceAll(/^[A-Z][a-z ]+:$/gm, (title) => bold(title))}`);
}

/** The options of a sandbox that is started, by `start` and by `exec`. */
export function addStartOptions(command: Command): Command {
  return command
    .option("--port <number>", "0 takes a free one (default: 4010; exec: 0)")
    .option("--host <address>", "0.0.0.0 listens everywhere (default: 127.0.0.1)")
    .option("--public-url <url>", "where others reach it; payment links begin with it")
    .option("--config <file>", "the configuration (default: sandbox.config.yaml)")
    .option("--profile <file>", "settings for what the contract leaves open")
    .option("--fixtures <file...>", "customers, charges and so on to begin with")
    .option("--scenario <file...>", "play the world's part of a story while an\napplication drives the API")
    .option("--store <where>", "memory or file:PATH: where the state is kept\n(default: memory)")
    .option("--clock <mode>", "running, frozen or an ISO instant (default: running)")
    .option("--auto-provision", "open a company for each access token not yet seen")
    .option("--seed <integer>", "make identifiers and names repeat")
    .option("--admin-token <token>", "the bearer token that the control API asks for")
    .option("--tls-cert <file>", "serve HTTPS with this certificate (PEM)")
    .option("--tls-key <file>", "the key of the certificate (PEM)")
    .option("--production-headers-only", "answer without the x-sandbox headers")
    .option("--log <form>", "pretty, json (one object a line) or silent\n(default: pretty; exec: silent)")
    .option("--log-level <level>", "debug (adds requests), info (what changes), warn or\nerror (default: info)")
    .option("--record <file>", "write the session as a scenario when it ends")
    .option("--open", "show the dashboard in a browser");
}
