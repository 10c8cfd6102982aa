import type { JSX } from "hono/jsx/jsx-runtime";
import { redirectionOf } from "../../../contract/charges-wire.js";
import { showMoney } from "../show-money.js";
import { Bill } from "./bill.js";
import { Frame } from "./frame.js";
import { NoticeBoard, type Tone } from "./notice.js";
import { type Entered, PaymentForm } from "./payment-form.js";
import { redirectionTo } from "./redirection.js";
import { type CheckoutState, type Standing, stateOf, versionOf } from "./standing.js";
import type { Notice, Texts } from "./texts.js";
import { type CheckoutView, WAITING } from "./view.js";

/** The page of a charge, whatever its state. */
export function ChargePage(view: CheckoutView, standing: Standing, entered: Entered): JSX.Element {
  const state = stateOf(standing);
  if (state === "due") return <DuePage view={view} standing={standing} entered={entered} />;
  return <SettledPage view={view} standing={standing} state={state} />;
}

/** A page that is about no charge: there is none, or the order was refused. */
export function NoticePage(view: CheckoutView, { title, text }: Notice): JSX.Element {
  return (
    <Frame view={view} title={title}>
      <NoticeBoard tone="bad" title={title} text={text} />
    </Frame>
  );
}

interface PageProps {
  readonly view: CheckoutView;
  readonly standing: Standing;
}

function DuePage({ view, standing, entered }: PageProps & { readonly entered: Entered }) {
  const { texts } = view;
  const { company, charge } = standing;
  return (
    <Frame
      view={view}
      title={texts.due.title(showMoney(charge.amount), company.id)}
      follows={{ version: versionOf(standing), next: view.linkTo() }}
    >
      <Bill standing={standing} texts={texts} isOpen />
      <PaymentForm view={view} standing={standing} entered={entered} />
    </Frame>
  );
}

type SettledState = Exclude<CheckoutState, "due">;

function SettledPage({ view, standing, state }: PageProps & { readonly state: SettledState }) {
  const { texts } = view;
  const { title, text } = noticeOf(state, standing, texts);
  const isPending = state === "pending";
  const back = redirectionTo(redirectionOf(standing.charge));
  return (
    <Frame
      view={view}
      title={`${title} · ${showMoney(standing.charge.amount)}`}
      follows={isPending ? { version: versionOf(standing), next: view.linkTo({ [WAITING]: "" }) } : undefined}
      head={isPending && <AskAgain />}
    >
      <Bill standing={standing} texts={texts} isOpen={false} />
      <NoticeBoard tone={tones[state]} title={title} text={text}>
        {back !== undefined && !isPending && (
          <a class="button" href={back} rel="noreferrer">
            {texts.back}
          </a>
        )}
      </NoticeBoard>
    </Frame>
  );
}

/** Without a script the browser looks by itself. */
function AskAgain() {
  return (
    <noscript>
      <meta http-equiv="refresh" content="2" />
    </noscript>
  );
}

const tones: Readonly<Record<SettledState, Tone>> = {
  pending: "wait",
  paid: "good",
  refunded_partially: "good",
  refunded: "good",
  expired: "wait",
  closed: "bad",
};

function noticeOf(state: SettledState, { charge }: Standing, texts: Texts): Notice {
  switch (state) {
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
