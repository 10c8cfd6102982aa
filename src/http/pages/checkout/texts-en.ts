import type { Texts } from "./texts.js";

export const english: Texts = {
  testMode: "Test mode: no real money moves",
  to: "Payment to",
  amount: "Amount to pay",
  timeLeft: "Time left",
  clockStands: "The sandbox’s clock stands still.",
  reference: "Reference",
  phone: "Mobile money number",
  phoneHint: "8 to 15 digits, with or without the country code.",
  testNumbers: "Test numbers",
  testNumbersHint: "Each decides what becomes of the payment. Any other number pays.",
  effects: {
    paid: "Pays",
    paidSilently: "Pays, sends no webhook",
    paidThoughLate: "Pays (only transfers are late)",
    refused: "Refused: no attempt is made",
    fails: (reason) => `Fails: ${reason}`,
  },
  pay: (amount) => `Pay ${amount}`,
  cancel: "Cancel",
  back: "Back to the merchant",
  again: "Try again, or use another number.",
  attemptFailed: (reason) => `The payment did not go through: ${reason}`,
  reasons: new Map([
    ["payment_declined", "payment declined"],
    ["timeout", "no answer in time"],
    ["insufficient_funds", "not enough money"],
    ["identity_not_verified", "identity not verified"],
  ]),
  nothingTaken: "No money was taken.",
  problems: {
    phoneMissing: "Enter the number that pays.",
    phoneWrong: "This is not a phone number: enter 8 to 15 digits, with or without the country code.",
    phoneRefused: "This number does not accept payment requests. Use another one.",
  },
  due: { title: (amount, merchant) => `Pay ${amount} to ${merchant}` },
  pending: {
    title: "Waiting for confirmation",
    text: "The payment was requested. This page goes on by itself as soon as the result is there.",
  },
  paid: { title: "Payment complete", text: "The merchant has received your payment. Nothing more is to be done." },
  refunded: { title: "Payment refunded", text: "The merchant has given back the whole amount." },
  refundedPartially: {
    title: "Payment refunded in part",
    text: (refunded, paid) => `The merchant has given back ${refunded} of ${paid}.`,
  },
  expired: {
    title: "Payment link expired",
    text: "The time to pay is over, and no money was taken. Ask the merchant for a new link.",
  },
  closed: {
    title: "Payment closed",
    text: (reason) => `This payment can no longer be made (${reason}). No money was taken.`,
  },
  unknown: {
    title: "Payment not found",
    text: "There is no payment under this address. Check the link, or ask the merchant for a new one.",
  },
  foreign: {
    title: "Payment refused",
    text: "This order came from another website. Open the payment link itself to pay.",
  },
  unreadable: { title: "Payment not understood", text: "The form could not be read. Open the payment link again." },
  failed: { title: "Something went wrong", text: "An error inside the sandbox; its log says more. Try again." },
};
