import type { Language } from "./language.js";
import { english } from "./texts-en.js";
import { french } from "./texts-fr.js";

/** Everything that the payment page says to a customer. */
export interface Texts {
  readonly testMode: string;
  /** Read out before the merchant's name. */
  readonly to: string;
  readonly amount: string;
  readonly timeLeft: string;
  readonly clockStands: string;
  readonly reference: string;
  readonly phone: string;
  readonly phoneHint: string;
  readonly testNumbers: string;
  readonly testNumbersHint: string;
  /** What a payment by a test number comes to. */
  readonly effects: {
    readonly paid: string;
    readonly paidSilently: string;
    readonly paidThoughLate: string;
    readonly refused: string;
    readonly fails: (reason: string) => string;
  };
  readonly pay: (amount: string) => string;
  readonly cancel: string;
  readonly back: string;
  readonly again: string;
  readonly attemptFailed: (reason: string) => string;
  /** By the error of the attempt; another error, whatever a rule or a caller has called it, is told by its code alone. */
  readonly reasons: ReadonlyMap<string, string>;
  readonly nothingTaken: string;
  readonly problems: {
    readonly phoneMissing: string;
    readonly phoneWrong: string;
    readonly phoneRefused: string;
  };
  /** A page's title, and what it says below. */
  readonly due: { readonly title: (amount: string, merchant: string) => string };
  readonly pending: Notice;
  readonly paid: Notice;
  readonly refunded: Notice;
  readonly refundedPartially: { readonly title: string; readonly text: (refunded: string, paid: string) => string };
  readonly expired: Notice;
  readonly closed: { readonly title: string; readonly text: (reason: string) => string };
  readonly unknown: Notice;
  readonly foreign: Notice;
  readonly unreadable: Notice;
  readonly failed: Notice;
}

export interface Notice {
  readonly title: string;
  readonly text: string;
}

export const textsIn: Readonly<Record<Language, Texts>> = { en: english, fr: french };

/** In its own words. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", fr: "Français" };
