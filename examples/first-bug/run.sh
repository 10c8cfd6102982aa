#!/usr/bin/env bash
# The first caught bug, from start to end, against the built sandbox; see story.mjs. Exits with 0 if everything happens as described.
#
#   npm ci && examples/first-bug/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec node examples/first-bug/story.mjs
