import type { Charge } from "../../../domain/model/charge.js";
import { showMoney } from "../show.js";
import type { Payment } from "./payment.js";
import { showMsisdn, testNumberChoices } from "./test-number-choices.js";
import type { Texts } from "./texts.js";
import type { CheckoutView } from "./view.js";

/** What the customer has typed so far. */
export interface Entered {
  readonly msisdn: string;
  /** Why it was refused. */
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
