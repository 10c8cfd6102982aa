import { fromXof } from "../../domain/values/money.js";
import { setBalance } from "../../domain/accounts/set-balance.js";
import { createWorld } from "../../domain/model/world.js";
import type { DomainEvent, EventType } from "../../domain/model/events.js";
import { isApiProblem, type ProblemCode } from "../../domain/model/problem-codes.js";
import type { Profile } from "../../domain/profile/profile.js";
import { Work, type World } from "../../domain/model/work.js";
import { createIdSource, type IdSource } from "../../kernel/ids.js";
import { type Instant, toIso } from "../../kernel/instant.js";
import { Bug, type Problem } from "../../kernel/problem.js";

/** A small company of its own in which the examples of the API description happen, always the same. */
export interface SampleStage {
  readonly profile: Profile;
  readonly world: World;
  readonly ids: IdSource;
  /** What the clock of the stage shows. */
  readonly now: string;
  /** One operation of the domain, a minute after the one before. */
  readonly run: <Input, Output>(operation: (work: Work, input: Input) => Output, input: Input) => Output;
  /** Why an operation is refused. Nothing of it is kept. */
  refusalOf(refused: () => unknown): Problem<ProblemCode>;
  /** The event of this type that is about this charge or transaction. */
  eventOf(type: EventType, resource: string): DomainEvent;
}

/** As in the contract's scenario of a working day. */
const START = Date.UTC(2026, 0, 15, 9);
const MINUTE_MS = 60_000;
/** Enough for everything that happens on the stage, whatever bounds a profile gives to amounts. */
const OPENING_MIN_XOF = 10_000_000;

export function createSampleStage(profile: Profile): SampleStage {
  const world = createWorld();
  const ids = createIdSource(1, "openapi");
  const happened: DomainEvent[] = [];
  let seq = 0;
  let at: Instant = START;

  const stage: SampleStage = {
    profile,
    world,
    ids,
    get now() {
      return toIso(at);
    },
    run(operation, input) {
      at += MINUTE_MS;
      const work = new Work({ world, profile, ids, at, nextSeq: () => ++seq });
      try {
        const output = operation(work, input);
        work.commit();
        happened.push(...work.events);
        return output;
      } catch (error) {
        work.rollback();
        throw error;
      }
    },
    refusalOf(refused) {
      try {
        refused();
      } catch (error) {
        if (isApiProblem(error)) return error;
        throw error;
      }
      throw new Bug("Failed to describe the API: what should be refused in an example was done.");
    },
    eventOf(type, resource) {
      const event = happened.find((candidate) => candidate.type === type && candidate.resource === resource);
      if (event === undefined) throw new Bug(`Failed to describe the API: no ${type} happened to ${resource}.`);
      return event;
    },
  };
  stage.run(setBalance, fromXof(Math.max(OPENING_MIN_XOF, 5 * profile.transfers.min)));
  return stage;
}
