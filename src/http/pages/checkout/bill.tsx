import type { Money } from "../../../domain/accounts/money.js";
import { showMoney } from "../show-money.js";
import { isoDuration, showCountdown } from "../show-time.js";
import { type Standing, timeLeft } from "./standing.js";
import type { Texts } from "./texts.js";

/** Of a description or a reference: a merchant may send far more than a page has room for. */
const SHOWN_MAX = 400;

interface BillProps {
  readonly standing: Standing;
  readonly texts: Texts;
  /** It is still to be paid: the amount is the page's heading, and the time runs. */
  readonly isOpen: boolean;
}

/** Who wants how much, for what, and until when. */
export function Bill({ standing, texts, isOpen }: BillProps) {
  const { company, charge } = standing;
  return (
    <section class="bill">
      <div class="merchant">
        <span class="avatar" aria-hidden="true">
          {initialOf(company.id)}
        </span>
        <p>
          <span class="to">{texts.to}</span> <strong>{company.id}</strong>
        </p>
      </div>
      {isOpen ? (
        <h1 class="amount">
          <span class="visually-hidden">{texts.amount}: </span>
          <Amount money={charge.amount} />
        </h1>
      ) : (
        <p class="amount">
          <Amount money={charge.amount} />
        </p>
      )}
      <p class="description" dir="auto">
        {shorten(charge.description)}
      </p>
      <dl class="details">
        <div>
          <dt>{texts.reference}</dt>
          <dd dir="auto">{shorten(charge.externalId)}</dd>
        </div>
        {isOpen && <TimeLeft standing={standing} texts={texts} />}
      </dl>
    </section>
  );
}

/** A long sum may stand above its unit: neither is broken. */
function Amount({ money }: { readonly money: Money }) {
  const [sum, unit] = showMoney(money).split(/\s(?=F)/);
  return (
    <>
      <span class="sum">{sum}</span> <span class="unit">{unit}</span>
    </>
  );
}

function TimeLeft({ standing, texts }: Pick<BillProps, "standing" | "texts">) {
  const { mode, pinned } = standing.company.clock;
  const left = timeLeft(standing);
  return (
    <div>
      <dt>{texts.timeLeft}</dt>
      <dd>
        <time
          id="left"
          class="left"
          datetime={isoDuration(left)}
          data-left={left}
          data-runs={mode === "running" && !pinned ? "" : undefined}
        >
          {showCountdown(left)}
        </time>
        <span id="stands" class="stands" hidden={mode === "running"}>
          {texts.clockStands}
        </span>
      </dd>
    </div>
  );
}

function shorten(text: string): string {
  if (text.length <= SHOWN_MAX) return text;
  // Not in the middle of a character.
  return `${text.slice(0, SHOWN_MAX).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Of `company_shop` it is `S`: every default id begins alike. */
function initialOf(companyId: string): string {
  return companyId
    .replace(/^company_(?=.)/, "")
    .charAt(0)
    .toUpperCase();
}
