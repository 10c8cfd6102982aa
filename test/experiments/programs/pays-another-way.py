"""Pays a salary. Weakness: 409 counts as a failure, and it pays to the other wallet of the worker."""

import sys
from lib import insist, outcome_of, payout_of

OTHER_WALLET = "+2250700000011"

status, body = insist("POST", "/v1/transactions", payout_of("salary-awa"))
if status != 201:
    status, body = insist("POST", "/v1/transactions", payout_of("salary-awa-other", msisdn=OTHER_WALLET))
if status != 201 or outcome_of(body["id"]) != "completed":
    sys.exit("not paid")
