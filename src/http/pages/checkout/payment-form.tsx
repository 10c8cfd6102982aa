import type { Money } from "../../../domain/values/money.js";
import { isoDuration, showCountdown, showMoney } from "../shared/show.js";
import { type Payment, nameOf, timeLeft } from "./payment.js";
import { type Problem, type Texts, showMsisdn, testNumberChoices } from "./texts.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Charge } from "../../../domain/model/charge.js";
import { type CheckoutView, TYPED_MAX } from "./view.js";

/**
 * The form is sent to the page's own address. `attempt` is the number of the attempt: of two equal forms only the first counts. The test numbers are links that
 * fill the field, so that they work without a script too.
 */
export function renderPaymentForm(view: CheckoutView, { company, charge }: Payment, problem: Problem | undefined) {
  const { texts, msisdn } = view;
  return (
    <form class="desk" method="post" id="payment">
      {problem === undefined && renderFailedAttempt(charge, texts)}
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
        maxlength={TYPED_MAX}
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
      {renderTestNumbers(view, company)}
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
function renderFailedAttempt(charge: Charge, texts: Texts) {
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

function renderTestNumbers({ texts, linkTo, msisdn: chosen }: CheckoutView, { profile }: Company) {
  return (
    <section class="numbers" aria-labelledby="numbers-title">
      <h2 id="numbers-title">{texts.testNumbers}</h2>
      <p class="hint">{texts.testNumbersHint}</p>
      <ul>
        {testNumberChoices(profile, texts).map(({ msisdn, effect, outcome }) => (
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

/** The most characters of a description or a reference that are shown: a merchant may send far more than fits. */
const SHOWN_MAX = 400;

/** `isOpen` means that the charge is due. Then the amount is the page's heading, and the time left is shown. */
export function renderBill({ sandbox, texts }: CheckoutView, payment: Payment, isOpen: boolean) {
  const { company, charge } = payment;
  const merchant = nameOf(sandbox, company);
  return (
    <section class="bill">
      <div class="merchant">
        <span class="avatar" aria-hidden="true">
          {initialOf(merchant)}
        </span>
        <p>
          <span class="to">{texts.to}</span> <strong dir="auto">{shorten(merchant)}</strong>
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
        {isOpen && (
          <div>
            <dt>{texts.timeLeft}</dt>
            <dd>{renderTimeLeft(payment, texts)}</dd>
          </div>
        )}
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

export function renderTimeLeft(payment: Payment, texts: Texts) {
  const { mode, pinned } = payment.company.clock;
  const left = timeLeft(payment);
  return (
    <>
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
    </>
  );
}

function shorten(text: string): string {
  if (text.length <= SHOWN_MAX) return text;
  // Do not cut a surrogate pair.
  return `${text.slice(0, SHOWN_MAX).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** `S` of `company_shop`: default ids all begin with `company_`. */
function initialOf(merchant: string): string {
  const [first = ""] = merchant.replace(/^company_(?=.)/, "");
  return first.toUpperCase();
}
