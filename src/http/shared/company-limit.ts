import { UsageError } from "../../kernel/messages/problem.js";

/** Counts what each company has in progress at the same time. */
export class CompanyLimit {
  readonly #most: number;
  readonly #refusal: string;
  readonly #underWay = new Map<string, number>();

  constructor(most: number, refusal: string) {
    this.#most = most;
    this.#refusal = refusal;
  }

  /** Returns a function to call when the work is over; undefined when the company has reached its limit. */
  begin(companyId: string): () => void {
    const underWay = this.#underWay.get(companyId) ?? 0;
    if (underWay >= this.#most) throw new UsageError("busy", this.#refusal);
    this.#underWay.set(companyId, underWay + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#underWay.get(companyId) ?? 0) - 1;
      if (left > 0) this.#underWay.set(companyId, left);
      else this.#underWay.delete(companyId);
    };
  }
}
