# Defines `url` and `api` for the examples of the documentation: . examples/curl/api.sh
url=${SANDBOX_URL:-http://127.0.0.1:4010}
api() { curl -s -H 'Authorization: Bearer at_sandbox' -H 'X-Company-Id: company_sandbox' -H 'Content-Type: application/json' "$@"; }
