import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import { redirectionOf } from "../../../contract/charges.js";
import { checkoutScript, checkoutStyle } from "../shared/assets.js";
import { Layout } from "../shared/layout.js";
import { showMoney } from "../shared/show.js";
import { renderBill, renderPaymentForm, renderTimeLeft } from "./payment-form.js";
import { type Payment, type PaymentState, findPending, nameOf, stateOf, versionOf } from "./payment.js";
import { type Notice, type Problem, type Texts, languageNames, languages, showMsisdn } from "./texts.js";
import { type CheckoutView, WAITING, redirectionTo } from "./view.js";

export function ChargePage(view: CheckoutView, payment: Payment, problem: Problem | undefined): JSX.Element {
  const state = stateOf(payment);
  if (state !== "due") return renderSettled(view, payment, state);
  const title = view.texts.due.title(showMoney(payment.charge.amount), nameOf(view.sandbox, payment.company));
  return (
    <Frame view={view} title={title} follows={{ version: versionOf(payment), next: view.linkTo() }}>
      {renderBill(view, payment, true)}
      {renderPaymentForm(view, payment, problem)}
    </Frame>
  );
}

/** A page without a charge: there is none, or the form was refused. */
export function NoticePage(view: CheckoutView, { title, text }: Notice): JSX.Element {
  return (
    <Frame view={view} title={title}>
      <NoticeBoard tone="bad" title={title} text={text} />
    </Frame>
  );
}

type SettledState = Exclude<PaymentState, "due">;

function renderSettled(view: CheckoutView, payment: Payment, state: SettledState): JSX.Element {
  const { texts } = view;
  const { title, text } = noticeOf(state, payment, texts);
  const isPending = state === "pending";
  const back = redirectionTo(redirectionOf(payment.charge));
  return (
    <Frame
      view={view}
      title={`${title} · ${showMoney(payment.charge.amount)}`}
      follows={isPending ? { version: versionOf(payment), next: view.linkTo({ [WAITING]: "" }) } : undefined}
      head={
        // Without a script the browser reloads the page.
        isPending && (
          <noscript>
            <meta http-equiv="refresh" content="2" />
          </noscript>
        )
      }
    >
      {renderBill(view, payment, false)}
      <NoticeBoard tone={tones[state]} title={title} text={text}>
        {isPending && renderConfirmation(payment, texts)}
        {back !== undefined && !isPending && (
          <a class="button" href={back} rel="noreferrer">
            {texts.back}
          </a>
        )}
      </NoticeBoard>
    </Frame>
  );
}

function renderConfirmation(payment: Payment, texts: Texts) {
  const { steps, stay, result } = texts.pending;
  return (
    <>
      <ol class="steps">
        {steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
      <p>{stay}</p>
      <p class="hint">
        {result} {renderTimeLeft(payment, texts)}
      </p>
    </>
  );
}

type Tone = "good" | "wait" | "bad";

const tones: Readonly<Record<SettledState, Tone>> = {
  pending: "wait",
  paid: "good",
  refunded_partially: "good",
  refunded: "good",
  expired: "wait",
  closed: "bad",
};

function noticeOf(state: SettledState, payment: Payment, texts: Texts): Notice {
  const { charge } = payment;
  switch (state) {
    case "pending": {
      const { title, text } = texts.pending;
      return { title, text: text(showMsisdn(findPending(payment)?.msisdn ?? "")) };
    }
    case "refunded_partially": {
      const { title, text } = texts.refundedPartially;
      return { title, text: text(showMoney(charge.refunded), showMoney(charge.paid)) };
    }
    case "closed": {
      const { title, text } = texts.closed;
      const reason = charge.droppedReason ?? "";
      return { title, text: text(texts.reasons.get(reason) ?? reason) };
    }
    default:
      return texts[state];
  }
}

const signs: Readonly<Record<Tone, string>> = {
  good: "M15 25l6.5 6.5L34 18",
  wait: "M24 13v11l7 5",
  bad: "M24 14v13M24 33v1",
};

interface NoticeProps extends Notice {
  readonly tone: Tone;
  readonly children?: Child;
}

function NoticeBoard({ tone, title, text, children }: NoticeProps) {
  return (
    <section class="desk notice">
      <svg class={`sign ${tone}`} viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" focusable="false">
        <circle cx="24" cy="24" r="22" />
        <path d={signs[tone]} />
      </svg>
      <h1>{title}</h1>
      <p class="soft">{text}</p>
      {children}
    </section>
  );
}

interface FrameProps {
  readonly view: CheckoutView;
  readonly title: string;
  /** For a page that changes by itself: the version of the charge that it shows, and the address of the next page. */
  readonly follows?: { readonly version: string; readonly next: string } | undefined;
  readonly head?: Child;
  readonly children?: Child;
}

function Frame({ view: { language, texts, linkTo, statusUrl }, title, follows, head, children }: FrameProps) {
  const scripts = follows === undefined ? [] : [checkoutScript];
  return (
    <Layout lang={language} title={title} root="../" styles={[checkoutStyle]} scripts={scripts} head={head}>
      <header class="mode">
        <p>{texts.testMode}</p>
        <nav aria-label={languages.map((other) => languageNames[other]).join(", ")}>
          {languages.map((lang) => (
            <a
              href={linkTo({ lang })}
              lang={lang}
              hreflang={lang}
              aria-current={lang === language ? "true" : undefined}
            >
              {languageNames[lang]}
            </a>
          ))}
        </nav>
      </header>
      <main
        class="checkout"
        data-version={follows?.version}
        data-next={follows?.next}
        data-status={follows === undefined ? undefined : statusUrl}
      >
        {children}
      </main>
    </Layout>
  );
}
