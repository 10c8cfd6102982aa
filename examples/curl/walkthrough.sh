#!/usr/bin/env bash
# The thirteen endpoints of the API, one curl call each, against a sandbox that runs:
#
#   npx business-payments-sandbox start                                                   in one terminal
#   examples/curl/walkthrough.sh                                        in another
#   SANDBOX_URL=http://127.0.0.1:4999 examples/curl/walkthrough.sh      for one that listens elsewhere
#
# It can be run again and again: what has to be unique is made so. It stops at the first call that fails.
set -euo pipefail

url=${SANDBOX_URL:-http://127.0.0.1:4010}
run=$(date +%s)-$$

# Every call carries the token, which selects the company. Only the creation of a charge wants X-Company-Id too.
token="Authorization: Bearer ${SANDBOX_ACCESS_TOKEN:-at_sandbox}"
company="X-Company-Id: ${SANDBOX_COMPANY_ID:-company_sandbox}"
json="Content-Type: application/json"

# Asks, shows the answer, and keeps it in $answer. An error status ends the walk.
ask() {
  answer=$(curl --fail-with-body -sS --max-time 30 "$@") || { printf '%s\n' "$answer" >&2 && return 1; }
  printf '%s\n' "${answer:-(no body)}"
}
title() { printf '\n%s\n' "$*"; }
# The first `id` of the last answer.
id_of_answer() { sed -E 's/^[^"]*"id":"([^"]+)".*/\1/' <<<"$answer"; }

title "1. GET /v1/balance: what the business account holds, in XOF"
ask -H "$token" "$url/v1/balance"

title "2. GET /v1/transactions/customers/check: is this number an identified customer? (a + in a query is %2B)"
ask -H "$token" "$url/v1/transactions/customers/check?msisdn=%2B2250700000001"

title "3. POST /v1/transactions: send money; the answer is pending, 5050 XOF have a fee of 50.5"
ask -H "$token" -H "$json" "$url/v1/transactions" -d '{
  "amount": 5050, "msisdn": "+2250700000001", "reference": "payout-'"$run"'", "type": "transfer", "description": "Invoice 17" }'
transaction=$(id_of_answer)

title "4. GET /v1/transactions/:id: it settles two seconds later, on the clock of the sandbox"
ask -H "$token" "$url/v1/transactions/$transaction"

title "5. POST /v1/transactions/batch: many transfers, all of them or none; +2250700000002 is going to fail"
ask -H "$token" -H "$json" "$url/v1/transactions/batch" -d '{ "transactions": [
  { "amount": 5000, "msisdn": "+2250700000001", "reference": "salary-1-'"$run"'", "description": "Salary" },
  { "amount": 6000, "msisdn": "+2250700000002", "reference": "salary-2-'"$run"'", "description": "Salary" } ] }'

title "6. POST /v1/charges: ask a customer to pay; paymentUrl is where to send them"
ask -H "$token" -H "$company" -H "$json" "$url/v1/charges" -d '{
  "amount": 10000, "externalId": "order-'"$run"'", "description": "Shoes",
  "onCanceledRedirectionUrl": "https://shop.test/no", "onCompletedRedirectionUrl": "https://shop.test/yes",
  "metadata": { "basket": 17 } }'
charge=$(id_of_answer)

title "7. GET /v1/charges/:id: due, until it is paid or one hour has passed"
ask -H "$token" "$url/v1/charges/$charge"

title "8. POST /v1/charges/:id/pay: staging only, pays in the customer's place"
ask -H "$token" -H "$json" "$url/v1/charges/$charge/pay" -d '{ "msisdn": "+2250700000001" }'

title "9. POST /v1/charges/:id/refund: a part; without a body all that is left"
ask -H "$token" -H "$json" "$url/v1/charges/$charge/refund" -d '{ "amount": 4000 }'
ask -H "$token" -X POST "$url/v1/charges/$charge/refund"

title "10. POST /v1/webhooks: subscribe to events of charges"
ask -H "$token" -H "$json" "$url/v1/webhooks" -d '{ "topic": "charges/events", "url": "http://127.0.0.1:4020/webhooks" }'
subscription=$(id_of_answer)

title "11. GET /v1/webhooks: all subscriptions, a page at a time"
ask -H "$token" "$url/v1/webhooks?limit=2"

title "12. GET /v1/webhooks/:id: one of them"
ask -H "$token" "$url/v1/webhooks/$subscription"

title "13. DELETE /v1/webhooks/:id: enough; 204 has no body"
ask -H "$token" -X DELETE "$url/v1/webhooks/$subscription"

title "An error names every field that is wrong, not only the first"
curl -sS --max-time 30 -H "$token" -H "$json" "$url/v1/transactions" -d '{ "amount": 12.5, "msisdn": "07" }'
printf '\n'
