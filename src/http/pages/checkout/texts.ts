import type { Profile } from "../../../domain/profile/profile.js";
import { type TestNumberRole, numberBehaviours } from "../../../domain/accounts/test-numbers.js";
/** Everything that the payment page says to a customer, in each language. */
export const languages = ["en", "fr"] as const;
export type Language = (typeof languages)[number];

export type Texts = typeof english;

/** What is wrong with the number. */
export type Problem = keyof Texts["problems"];

export interface Notice {
  readonly title: string;
  readonly text: string;
}

export const languageNames: Readonly<Record<Language, string>> = { en: "English", fr: "Français" };

const english = {
  testMode: "Test mode: no real money moves",
  to: "Payment to",
  amount: "Amount to pay",
  timeLeft: "Time left",
  clockStands: "The sandbox’s clock is frozen.",
  reference: "Reference",
  phone: "Mobile money number",
  phoneHint: "8 to 15 digits, with or without the country code.",
  testNumbers: "Test numbers",
  testNumbersHint: "Each number has a fixed result. Any other number pays.",
  effects: {
    paid: "Pays",
    paidSilently: "Pays, sends no webhook",
    paidThoughLate: "Pays (only transfers are late)",
    confirmed: (seconds: number) => `Confirms on the phone after ${seconds}\u00a0s`,
    refused: "Refused: no attempt is made",
    fails: (reason: string) => `Fails: ${reason}`,
  },
  pay: (amount: string) => `Pay ${amount}`,
  cancel: "Cancel",
  back: "Back to the merchant",
  again: "Try again, or use another number.",
  attemptFailed: (reason: string) => `The payment did not go through: ${reason}`,
  /** Keyed by the error of the attempt. Any other error is shown as its code. */
  reasons: new Map<string, string>([
    ["payment_declined", "payment declined"],
    ["timeout", "no answer in time"],
    ["insufficient_funds", "not enough money"],
    ["identity_not_verified", "identity not verified"],
  ]),
  nothingTaken: "No money was taken.",
  problems: {
    phoneMissing: "Enter your mobile money number.",
    phoneWrong: "This is not a phone number: enter 8 to 15 digits, with or without the country code.",
    phoneRefused: "This number does not accept payment requests. Use another one.",
  },
  due: { title: (amount: string, merchant: string) => `Pay ${amount} to ${merchant}` },
  pending: {
    title: "Waiting for confirmation",
    text: (msisdn: string) => `A payment request was sent to ${msisdn}.`,
    steps: [
      "Unlock the phone with this number.",
      "Open the notification of your mobile money service.",
      "Check the amount, and enter your PIN to confirm.",
    ],
    stay: "Keep this page open: it continues by itself.",
    result: "Test mode: the phone answers in",
  },
  paid: { title: "Payment complete", text: "The merchant has received your payment. There is nothing more to do." },
  refunded: { title: "Payment refunded", text: "The merchant has refunded the full amount." },
  refundedPartially: {
    title: "Payment refunded in part",
    text: (refunded: string, paid: string) => `The merchant has refunded ${refunded} of ${paid}.`,
  },
  expired: {
    title: "Payment link expired",
    text: "The time to pay is over, and no money was taken. Ask the merchant for a new link.",
  },
  closed: {
    title: "Payment closed",
    text: (reason: string) => `This payment can no longer be made (${reason}). No money was taken.`,
  },
  unknown: {
    title: "Payment not found",
    text: "There is no payment at this address. Check the link, or ask the merchant for a new one.",
  },
  foreign: {
    title: "Payment refused",
    text: "This order came from another website. Open the payment link itself to pay.",
  },
  unreadable: { title: "Payment not understood", text: "The form could not be read. Open the payment link again." },
  failed: { title: "Something went wrong", text: "An error inside the sandbox; its log says more. Try again." },
};

const french: Texts = {
  testMode: "Mode test : aucun argent réel",
  to: "Paiement à",
  amount: "Montant à payer",
  timeLeft: "Temps restant",
  clockStands: "L’horloge du bac à sable est arrêtée.",
  reference: "Référence",
  phone: "Numéro mobile money",
  phoneHint: "8 à 15 chiffres, avec ou sans l’indicatif du pays.",
  testNumbers: "Numéros de test",
  testNumbersHint: "Chacun décide de l’issue du paiement. Tout autre numéro paie.",
  effects: {
    paid: "Paie",
    paidSilently: "Paie, sans webhook",
    paidThoughLate: "Paie (seuls les transferts tardent)",
    confirmed: (seconds) => `Confirme sur le téléphone après ${seconds}\u00a0s`,
    refused: "Refusé : aucune tentative",
    fails: (reason) => `Échoue : ${reason}`,
  },
  pay: (amount) => `Payer ${amount}`,
  cancel: "Annuler",
  back: "Retour au marchand",
  again: "Réessayez ou utilisez un autre numéro.",
  attemptFailed: (reason) => `Le paiement n’a pas abouti : ${reason}`,
  reasons: new Map([
    ["payment_declined", "paiement refusé"],
    ["timeout", "pas de réponse à temps"],
    ["insufficient_funds", "solde insuffisant"],
    ["identity_not_verified", "identité non vérifiée"],
  ]),
  nothingTaken: "Aucun montant n’a été débité.",
  problems: {
    phoneMissing: "Saisissez le numéro qui paie.",
    phoneWrong: "Ce n’est pas un numéro de téléphone : saisissez 8 à 15 chiffres, avec ou sans l’indicatif du pays.",
    phoneRefused: "Ce numéro n’accepte pas de demande de paiement. Utilisez-en un autre.",
  },
  due: { title: (amount, merchant) => `Payer ${amount} à ${merchant}` },
  pending: {
    title: "En attente de confirmation",
    text: (msisdn) => `Une demande de paiement a été envoyée au ${msisdn}.`,
    steps: [
      "Déverrouillez le téléphone de ce numéro.",
      "Ouvrez la notification de votre service mobile money.",
      "Vérifiez le montant et saisissez votre code secret pour confirmer.",
    ],
    stay: "Gardez cette page ouverte : elle continue d’elle-même.",
    result: "Mode test : la réponse du téléphone arrive dans",
  },
  paid: { title: "Paiement effectué", text: "Le marchand a reçu votre paiement. Il ne reste rien à faire." },
  refunded: { title: "Paiement remboursé", text: "Le marchand a rendu la totalité du montant." },
  refundedPartially: {
    title: "Paiement remboursé en partie",
    text: (refunded, paid) => `Le marchand a rendu ${refunded} sur ${paid}.`,
  },
  expired: {
    title: "Lien de paiement expiré",
    text: "Le délai de paiement est écoulé et aucun montant n’a été débité. Demandez un nouveau lien au marchand.",
  },
  closed: {
    title: "Paiement clos",
    text: (reason) => `Ce paiement ne peut plus être fait (${reason}). Aucun montant n’a été débité.`,
  },
  unknown: {
    title: "Paiement introuvable",
    text: "Il n’y a pas de paiement à cette adresse. Vérifiez le lien ou demandez-en un nouveau au marchand.",
  },
  foreign: {
    title: "Paiement refusé",
    text: "Cette demande vient d’un autre site. Ouvrez le lien de paiement lui-même pour payer.",
  },
  unreadable: {
    title: "Paiement non compris",
    text: "Le formulaire est illisible. Ouvrez à nouveau le lien de paiement.",
  },
  failed: {
    title: "Une erreur est survenue",
    text: "Une erreur dans le bac à sable ; son journal en dit plus. Réessayez.",
  },
};

export const textsIn: Readonly<Record<Language, Texts>> = { en: english, fr: french };

export interface NumberChoice {
  readonly msisdn: string;
  readonly effect: string;
  readonly outcome: "paid" | "failed" | "refused";
}

/** The profile's test numbers, each with the result of a payment by it. */
export function testNumberChoices({ testNumbers }: Profile, texts: Texts): readonly NumberChoice[] {
  return Object.entries(numberBehaviours).map(([role, { payment }]) => ({
    msisdn: testNumbers[role as TestNumberRole],
    effect: effectOf(role as TestNumberRole, texts),
    outcome: payment === "refused" ? payment : payment.outcome,
  }));
}

function effectOf(role: TestNumberRole, { effects, reasons }: Texts): string {
  const { payment, silent, lateMs, confirmMs } = numberBehaviours[role];
  if (payment === "refused") return effects.refused;
  if (payment.outcome === "failed") return effects.fails(reasons.get(payment.error) ?? payment.error);
  if (silent) return effects.paidSilently;
  if (confirmMs !== undefined) return effects.confirmed(confirmMs / 1000);
  return lateMs > 0 ? effects.paidThoughLate : effects.paid;
}

/** `+225 07 00 00 00 01`: numbers of Côte d'Ivoire in pairs of digits, all others unchanged. */
export function showMsisdn(msisdn: string): string {
  const [, prefix, digits] = /^(\+225)(\d{10})$/.exec(msisdn) ?? [];
  if (prefix === undefined || digits === undefined) return msisdn;
  return [prefix, ...(digits.match(/\d\d/g) ?? [])].join("\u00a0");
}
