import type { Money } from "../../../domain/values/money.js";
import { isoDuration, showCountdown, showMoney } from "../show.js";
import { type Payment, timeLeft } from "./payment.js";
import type { Texts } from "./texts.js";

/** Of a description or a reference: a merchant may send far more than fits. */
const SHOWN_MAX = 400;

interface BillProps {
  readonly payment: Payment;
  readonly texts: Texts;
  /** The charge is due: the amount is the page's heading, and the time left is shown. */
  readonly isOpen: boolean;
}

/** The merchant, the amount, what it is for, and the time left. */
export function Bill({ payment, texts, isOpen }: BillProps) {
  const { company, charge } = payment;
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
        {isOpen && <TimeLeft payment={payment} texts={texts} />}
      </dl>
    </section>
  );
}

/** The line may break between sum and unit, and nowhere else. */
function Amount({ money }: { readonly money: Money }) {
  const [sum, unit] = showMoney(money).split(/\s(?=F)/);
  return (
    <>
      <span class="sum">{sum}</span> <span class="unit">{unit}</span>
    </>
  );
}

function TimeLeft({ payment, texts }: Pick<BillProps, "payment" | "texts">) {
  const { mode, pinned } = payment.company.clock;
  const left = timeLeft(payment);
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
  // Do not cut a surrogate pair.
  return `${text.slice(0, SHOWN_MAX).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** `S` of `company_shop`: default ids all begin with `company_`. */
function initialOf(companyId: string): string {
  return companyId
    .replace(/^company_(?=.)/, "")
    .charAt(0)
    .toUpperCase();
}
