import type { Attempt } from "../domain/model/delivery.js";
import { type LoopDelay, watchLoopDelay } from "../kernel/time/system-clock.js";
import { VERSION } from "../kernel/version.js";
import type { Sandbox } from "./sandbox.js";

/** Upper bounds of the buckets for durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

interface RequestCount {
  readonly operation: string;
  readonly status: number;
  count: number;
}

/** What the sandbox counts for operators since its start, as text of OpenMetrics 1.0. */
export class Metrics {
  readonly #requests = new Map<string, RequestCount>();
  readonly #durations = BUCKETS.map(() => 0);
  #durationSum = 0;
  #durationCount = 0;
  readonly #attempts = { succeeded: 0, failed: 0 };
  #loopDelay: LoopDelay | undefined;

  /** Counts a request to the API, with the time until its answer was ready. */
  countRequest(operation: string, status: number, durationMs: number): void {
    this.countOther(operation, status);
    const seconds = durationMs / 1000;
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) this.#durations[bucket] = (this.#durations[bucket] ?? 0) + 1;
    this.#durationSum += seconds;
    this.#durationCount++;
  }

  /** Counts any other request without its duration: streams and long polls would distort it. */
  countOther(operation: string, status: number): void {
    const key = `${operation} ${status}`;
    const counted = this.#requests.get(key);
    if (counted === undefined) this.#requests.set(key, { operation, status, count: 1 });
    else counted.count++;
  }

  countAttempt({ error }: Attempt): void {
    this.#attempts[error === null ? "succeeded" : "failed"]++;
  }

  /** Measures the event loop from now on. A process has one event loop, so this is for processes that run nothing but the sandbox. */
  watchLoop(): void {
    this.#loopDelay = watchLoopDelay();
  }

  render({ companies, store, startedAt, system }: Sandbox): string {
    const inFlight = companies.reduce((sum, { dispatcher }) => sum + dispatcher.outstanding.length, 0);
    const { user, system: kernel } = process.cpuUsage();
    const families = [
      family("sandbox", "info", "The version that runs.", [["_info", { version: VERSION }, 1]]),
      gauge("sandbox_uptime_seconds", "Time since the start.", (system.monotonic() - startedAt) / 1000),
      gauge("sandbox_companies", "Open companies.", companies.length),
      family("sandbox_requests", "counter", "Answered requests.", [...this.#requests.values()].map(requestSample)),
      family("sandbox_request_duration_seconds", "histogram", "Time until an answer of the API was ready.", [
        ...this.#buckets(),
        ["_sum", {}, this.#durationSum],
        ["_count", {}, this.#durationCount],
      ]),
      family("sandbox_delivery_attempts", "counter", "Webhook requests that ended.", [
        ["_total", { outcome: "succeeded" }, this.#attempts.succeeded],
        ["_total", { outcome: "failed" }, this.#attempts.failed],
      ]),
      gauge("sandbox_deliveries_in_flight", "Deliveries that are being attempted, or wait for their turn.", inFlight),
      counter("sandbox_store_changes", "Changes handed to the store.", store.position),
      counter("sandbox_store_flushes", "Groups of changes that the store has flushed to the disk.", store.flushes),
      ...this.#loopDelayFamilies(),
      counter("process_cpu_seconds", "CPU time of the process.", (user + kernel) / 1e6),
      gauge("process_resident_memory_bytes", "Resident memory of the process.", process.memoryUsage.rss()),
    ];
    return `${families.join("")}# EOF\n`;
  }

  #buckets(): Sample[] {
    let sum = 0;
    const samples = BUCKETS.map((bound, at): Sample => {
      sum += this.#durations[at] ?? 0;
      return ["_bucket", { le: String(bound) }, sum];
    });
    return [...samples, ["_bucket", { le: "+Inf" }, this.#durationCount]];
  }

  #loopDelayFamilies(): string[] {
    const delay = this.#loopDelay?.();
    if (delay === undefined) return [];
    return [
      family("sandbox_event_loop_delay_seconds", "summary", "Delay of the event loop since the last reading.", [
        ["", { quantile: "0.5" }, delay.p50Ms / 1000],
        ["", { quantile: "0.99" }, delay.p99Ms / 1000],
      ]),
      gauge("sandbox_event_loop_delay_max_seconds", "The longest since the last reading.", delay.maxMs / 1000),
    ];
  }
}

type Sample = readonly [suffix: string, labels: Readonly<Record<string, string>>, value: number];

function requestSample({ operation, status, count }: RequestCount): Sample {
  return ["_total", { operation, status: String(status) }, count];
}

function gauge(name: string, help: string, value: number): string {
  return family(name, "gauge", help, [["", {}, value]]);
}

function counter(name: string, help: string, value: number): string {
  return family(name, "counter", help, [["_total", {}, value]]);
}

/** No label has a value that needs escaping: they are names of operations, statuses and numbers. */
function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const unit = /_(seconds|bytes)$/.exec(name)?.[1];
  const lines = samples.map(([suffix, labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
  });
  const unitLine = unit === undefined ? [] : [`# UNIT ${name} ${unit}`];
  return [`# TYPE ${name} ${type}`, ...unitLine, `# HELP ${name} ${help}`, ...lines, ""].join("\n");
}
