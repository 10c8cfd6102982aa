import { type HttpExchange, parseBody } from "../../adapters/har/http-exchange.js";
import { isSelected } from "../../domain/profile/alternatives.js";
import { settings } from "../../domain/profile/settings.js";
import { toIso } from "../../kernel/time/instant.js";
import { REDACTED, SecretRedactor } from "../../sandbox/observation/redact.js";
import { credentialsIn, credentialsOf } from "../recording/credentials.js";
import type { Entry } from "../recording/entry.js";
import { groupBy, maxOf, minOf } from "../../kernel/collections.js";
import { type Recording, readRecording } from "../recording/history.js";
import { type ReadEntry, readEntry } from "../recording/read-entry.js";
import { DIFFERENCES_MAX, type FoundDifference } from "../replay/compare.js";
import type { CalibratedSetting, CalibrationReport } from "../report/report.js";
import { type BenchOptions, Track } from "./bench.js";
import { groupDrift } from "./drift.js";
import { Judge } from "./judge.js";
import { Search, type SearchOptions } from "./search.js";

export interface CalibrateOptions extends BenchOptions, SearchOptions {
  readonly source: { readonly files: readonly string[] } | { readonly target: string };
}

/**
 * Finds the settings with which the sandbox says what the recorded service said, and lists what none of them explains.
 */
export async function calibrate(
  recordings: readonly (Iterable<HttpExchange> | AsyncIterable<HttpExchange>)[],
  options: CalibrateOptions,
): Promise<CalibrationReport> {
  const { recordings: read, secrets } = await readAll(recordings, options);
  const histories = read.flatMap((recording) => recording.histories);
  const comparesWebhooks = histories.some(({ entries }) => entries.some(({ kind }) => kind === "webhook"));
  const tracks = histories
    .filter(({ entries }) => entries.length > 0)
    .map((history) => new Track(history, { ...options, comparesWebhooks, isTokenRight: "target" in options.source }));
  const search = new Search(tracks, options);
  await search.improve();
  const unnamed = read.reduce((sum, recording) => sum + recording.unnamed, 0);
  return new SecretRedactor(secrets).value(await buildReport(search, options, unnamed)) as CalibrationReport;
}

/** Reads one exchange at a time and keeps little of it, because archives are long. */
async function readAll(
  recordings: readonly (Iterable<HttpExchange> | AsyncIterable<HttpExchange>)[],
  { secretKey = "", source }: CalibrateOptions,
) {
  const files = "files" in source && source.files.length > 1 ? source.files : [];
  // A service may show in a body what only headers should carry.
  const secrets = new Set([secretKey]);
  const found: Recording[] = [];
  for (const [which, recording] of recordings.entries()) {
    const read: ReadEntry[] = [];
    let count = 0;
    for await (const exchange of recording) {
      const { place = count++ } = exchange;
      const entries = readEntry(exchange, place, files[which]);
      read.push(...entries);
      for (const secret of secretsOf(exchange, entries)) secrets.add(secret);
    }
    found.push(readRecording(read));
  }
  return { recordings: found, secrets: [...secrets].filter((secret) => secret !== "" && secret !== REDACTED) };
}

/** What only the client and the service may know. */
function secretsOf(exchange: HttpExchange, entries: readonly ReadEntry[]): readonly string[] {
  const bodies = entries.map(({ entry }) =>
    entry.kind === "webhook" ? entry.body : [parseBody(entry.body ?? ""), entry.answer?.body],
  );
  const headers = [...exchange.headers, ...(exchange.answer?.headers ?? [])].map(([name, value]) => ({
    [name]: value,
  }));
  const parameters = Object.fromEntries(new URL(exchange.url).searchParams);
  return [...credentialsOf(exchange), ...credentialsIn([bodies, headers, parameters])];
}

/** `unnamed` is how many exchanges name none of the recorded companies. */
async function buildReport(search: Search, options: CalibrateOptions, unnamed: number): Promise<CalibrationReport> {
  const judge = new Judge(search);
  const { tracks } = search;
  const judged = await judge.judgeAll(settings.filter(({ path }) => isSelected(options, path)));
  const rows = tracks.some(isJudged) ? judged : judged.map(asOpen);
  const differences = tracks.flatMap(({ current }) => current.differences);
  const drift = groupDrift(differences, tracks);
  const count = (state: CalibratedSetting["state"]): number => rows.filter((row) => row.state === state).length;
  return {
    verb: "calibrate",
    source: { files: null, target: null, ...options.source, ...extentOf(tracks) },
    settings: rows,
    drift,
    assumptions: [
      ...new Set([
        ...tracks.flatMap(({ assumptions }) => assumptions),
        ...(unnamed > 0 ? [`Exchanges that name none of the recorded companies are not compared: ${unnamed}.`] : []),
        ...judge.assumptions,
        ...(isCutOff(differences)
          ? [`Of a body that differs in more places, only the first ${DIFFERENCES_MAX} are compared.`]
          : []),
      ]),
    ],
    counts: {
      confirmed: count("confirmed"),
      set: count("set"),
      open: count("open"),
      contradicted: count("contradicted"),
      drift: drift.length,
    },
  };
}

function asOpen({ path, default: value }: CalibratedSetting): CalibratedSetting {
  return { path, value, default: value, state: "open", evidence: [] };
}

/** How much traffic there was, from when to when, and how much of it was compared. */
function extentOf(tracks: readonly Track[]) {
  const entries = tracks.flatMap(({ history }) => history.entries);
  const webhooks = entries.filter(({ kind }) => kind === "webhook").length;
  const compared = tracks.filter(isJudged).flatMap(({ current }) => [...current.compared.values()]);
  const starts = tracks.flatMap(({ history }) => history.entries.slice(0, 1).map(({ at }) => at));
  const ends = tracks.flatMap(({ history }) => history.entries.slice(-1).map(({ at }) => at));
  return {
    exchanges: entries.length - webhooks,
    webhooks,
    compared: compared.reduce((sum, one) => sum + one, 0),
    from: starts.length === 0 ? null : toIso(minOf(starts)),
    to: ends.length === 0 ? null : toIso(maxOf(ends)),
  };
}

function isCutOff(differences: readonly FoundDifference[]): boolean {
  const perExchange = groupBy(differences, ({ exchange }) => exchange).values();
  return [...perExchange].some(({ length }) => length >= DIFFERENCES_MAX);
}

/** Where all answers are 401, the token may have been wrong, so nothing was really compared. */
function isJudged({ history }: Track): boolean {
  return history.entries.some(isBeyondToken);
}

function isBeyondToken(entry: Entry): boolean {
  return entry.kind === "webhook" || (entry.answer !== undefined && entry.answer.status !== 401);
}
