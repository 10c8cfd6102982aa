import type { World } from "../domain/work.js";
import type { Change } from "../kernel/unit-of-work.js";
import type { CompanyWatcher } from "./company/company-deps.js";

/** What one commit of a company changed, oldest first. It must not throw: it is called in the middle of the company's work. */
export type CommitListener = (companyId: string, world: World, changes: readonly Change[]) => void;

/** Tells of every commit of every company of one sandbox. What a company begins with is none. */
export class Commits {
  readonly #listeners = new Set<CommitListener>();

  /** Until the returned function is called. */
  listen(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** As `watcher`, heard here too. */
  heardThrough(companyId: string, watcher: CompanyWatcher): CompanyWatcher {
    return {
      adopt: (overrides) => watcher.adopt(overrides),
      watch: (run) => watcher.watch(run),
      noteChanges: (world, changes) => {
        watcher.noteChanges(world, changes);
        for (const listener of this.#listeners) listener(companyId, world, changes);
      },
    };
  }
}
