/** Counts what each company has under way at the same time. */
export class CompanyLimit {
  readonly #most: number;
  readonly #underWay = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined when the company has as many as it may; otherwise what to call when it is over. */
  begin(companyId: string): (() => void) | undefined {
    const underWay = this.#underWay.get(companyId) ?? 0;
    if (underWay >= this.#most) return undefined;
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
