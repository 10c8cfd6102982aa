import type { Money } from "../../../domain/values/money.js";
import { isoDuration, showCountdown, showMoney } from "../shared/show.js";
import { type Payment, timeLeft } from "./payment.js";
import { type Texts, showMsisdn, testNumberChoices } from "./texts.js";
import type { Charge } from "../../../domain/model/charge.js";
import type { CheckoutView } from "./view.js";

export interface Entered {
  readonly msisdn: string;
  readonly problem?: keyof Texts["problems"] | undefined;
}

interface PaymentFormProps {
  readonly view: CheckoutView;
  readonly payment: Payment;
  readonly entered: Entered;
}

/**
 * The form is sent to the page's own address. `attempt` is the number of the attempt: of two equal forms only the first counts. The test numbers are links that
 * fill the field, so that they work without a script too.
 */
export function PaymentForm({ view, payment, entered }: PaymentFormProps) {
  const { texts } = view;
  const { charge } = payment;
  const { msisdn, problem } = entered;
  return (
    <form class="desk" method="post" id="payment">
      {problem === undefined && <FailedAttempt charge={charge} texts={texts} />}
      <input type="hidden" name="attempt" value={charge.attempts} autocomplete="off" />
      <label class="label" for="msisdn">
        {texts.phone}
      </label>
      <input
        class="field"
        id="msisdn"
        name="msisdn"
        type="tel"
        inputmode="tel"
        autocomplete="tel"
        placeholder="+225 07 00 00 00 00"
        value={msisdn}
        required
        maxlength={40}
        aria-describedby={problem === undefined ? "msisdn-hint" : "msisdn-problem"}
        aria-invalid={problem === undefined ? undefined : "true"}
        autofocus={problem !== undefined}
      />
      {problem === undefined ? (
        <p class="hint" id="msisdn-hint">
          {texts.phoneHint}
        </p>
      ) : (
        <p class="hint error" id="msisdn-problem" role="alert">
          {texts.problems[problem]}
        </p>
      )}
      <TestNumbers view={view} payment={payment} chosen={msisdn} />
      <div class="buttons">
        <button class="button" name="action" value="pay">
          {texts.pay(showMoney(charge.amount))}
        </button>
        <button class="button quiet" name="action" value="cancel" formnovalidate>
          {texts.cancel}
        </button>
      </div>
    </form>
  );
}

/** The newest entry of a due charge can only be a failed attempt. */
function FailedAttempt({ charge, texts }: { readonly charge: Charge; readonly texts: Texts }) {
  const last = charge.entries[0];
  if (last === undefined) return undefined;
  const code = last.error ?? "";
  return (
    <div class="alert bad" role="alert">
      <p>
        <strong>{texts.attemptFailed(texts.reasons.get(code) ?? code)}</strong>
      </p>
      <p>
        {texts.nothingTaken} {texts.again}
      </p>
    </div>
  );
}

interface TestNumbersProps {
  readonly view: CheckoutView;
  readonly payment: Payment;
  readonly chosen: string;
}

function TestNumbers({ view: { texts, linkTo }, payment, chosen }: TestNumbersProps) {
  return (
    <section class="numbers" aria-labelledby="numbers-title">
      <h2 id="numbers-title">{texts.testNumbers}</h2>
      <p class="hint">{texts.testNumbersHint}</p>
      <ul>
        {testNumberChoices(payment.company.profile, texts).map(({ msisdn, effect, outcome }) => (
          <li>
            <a
              class={`number ${outcome}`}
              href={linkTo({ msisdn })}
              data-number={msisdn}
              aria-current={msisdn === chosen ? "true" : undefined}
            >
              <span class="digits">{showMsisdn(msisdn)}</span> <span class="effect">{effect}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Of a description or a reference: a merchant may send far more than fits. */
const SHOWN_MAX = 400;

interface BillProps {
  readonly payment: Payment;
  readonly texts: Texts;
  /** The charge is due: the amount is the page's heading, and the time left is shown. */
  readonly isOpen: boolean;
}

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
