"""Pays a salary, and records it. Weakness: it takes a 5xx answer to mean that nothing was paid."""

import sys
import books
from lib import PAYEE, insist, let_pass, outcome_of, payout_of, try_call

status, body = try_call("POST", "/v1/transactions", payout_of("salary-awa"))
if status in (0, 429):
    let_pass("10s")
    status, body = insist("POST", "/v1/transactions", payout_of("salary-awa"))
let_pass("1h")
is_paid = status == 409 or (status == 201 and outcome_of(body["id"]) == "completed")
books.write({PAYEE: 150_000} if is_paid else {})
if status == 201 and not is_paid:
    sys.exit("not paid")
