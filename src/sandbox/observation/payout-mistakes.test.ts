import { expect, it } from "vitest";
import { nameTwoOrders } from "./payout-mistakes.js";

it.each([
  ["order-2", "order-3"],
  ["order-1", "order-17"],
  ["order1001", "order1002"],
  ["invoice-2026-1", "invoice-2026-2"],
  ["salary-january", "salary-february"],
  ["payout-1001", "payout-1002"],
  ["e-7/2026-01", "e-8/2026-01"],
  ["settlement-2026-01-15", "settlement-2026-01-16"],
  ["TX000123", "TX000124"],
  ["order 20260115-000017", "order 20260115-000018"],
  ["16-01-2026", "17-01-2026"],
  ["Entry 10", "Entry 11"],
  ["Trip of 10:00", "Trip of 11:00"],
])("%s and %s name two orders", (one, other) => {
  expect([nameTwoOrders(one, other), nameTwoOrders(other, one)]).toEqual([true, true]);
});

it.each([
  ["order-17", "order-17-retry"],
  ["order-17", "retry-order-17"],
  ["salary-awa", "salary-awa-2"],
  ["order-17-1", "order-17-2"],
  ["order-17-a", "order-17-b"],
  ["attempt-1", "attempt-2"],
  ["payment-1", "payment-2"],
  ["order-17-1768467600123", "order-17-1768467600456"],
  ["0b0e7f0a-9c1e-4d3f-8a55-6f6f6f6f6f6f", "5d2c7c1e-1b1e-4f3f-9a55-7f7f7f7f7f7f"],
  ["w-0b0e7f0a-9c1e-4d3f-8a55-6f6f6f6f6f6f", "w-5d2c7c1e-1b1e-4f3f-9a55-7f7f7f7f7f7f"],
  ["order-17-attempt-0b0e7f0a-9c1e-4d3f-8a55-6f6f6f6f6f6f", "order-17-attempt-5d2c7c1e-1b1e-4f3f-9a55-7f7f7f7f7f7f"],
  ["x9k2m4p7q1", "b3c8d1f6g2"],
  ["ref-k3j9x", "ref-p0q2z"],
  ["V1StGXR8_Z5jdHi6B-myT", "3kTMd0BnQ_x9aPzLw2-cv"],
  ["0.4382910", "0.99182"],
  ["awa-2026-01-15T09:00:00Z", "awa-2026-01-15T09:00:05Z"],
  ["order-7f3a", "ORDER-7F3A"],
  ["order-17 (2)", "order-17 (3)"],
  ["run-1-employee-23", "run-2-employee-23"],
  ["salary-awa-1", "salary-awa-2"],
  ["r1", "r2"],
  ["awa-20260115-100003", "awa-20260115-100009"],
  ["AWA_2026_01_15_10_00_03", "AWA_2026_01_15_10_00_09"],
  ["Salary 15/01/2026 10:00:03", "Salary 15/01/2026 10:00:09"],
  ["1768467600.123", "1768467601.456"],
  ["Salary, attempt 1", "Salary, attempt 2"],
  ["Salary (retry 1)", "Salary (retry 2)"],
  ["Salary", "Salary (try 2)"],
  ["Salary, 1st attempt", "Salary, 2nd attempt"],
  ["Salaire, tentative n°1", "Salaire, tentative n°2"],
  ["Salaire, 1er essai", "Salaire, 2e essai"],
])("%s and %s may name one", (one, other) => {
  expect([nameTwoOrders(one, other), nameTwoOrders(other, one)]).toEqual([false, false]);
});
