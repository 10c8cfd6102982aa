#!/usr/bin/env bash
# The first caught bug, told from start to end against the built sandbox; see story.mjs. Exits 0 if it came out as told.
#
#   npm ci && examples/first-bug/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec node examples/first-bug/story.mjs
