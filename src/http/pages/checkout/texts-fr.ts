import type { Texts } from "./texts.js";

export const french: Texts = {
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
    text: "Le paiement est demandé. Cette page continue d’elle-même dès que le résultat est connu.",
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
