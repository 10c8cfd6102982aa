"""Pays a salary. Weakness: it does not handle 429."""

import sys
from lib import insist, is_unclear, let_pass, outcome_of, payout_of, try_call

ANSWERS = {201: "accepted", 409: "accepted before", 422: "refused"}

status, body = try_call("POST", "/v1/transactions", payout_of("salary-awa"))
if status != 429 and is_unclear(status):
    let_pass("10s")
    status, body = insist("POST", "/v1/transactions", payout_of("salary-awa"))
print(ANSWERS[status])
if status != 201 or outcome_of(body["id"]) != "completed":
    sys.exit("not paid")
