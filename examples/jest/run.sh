#!/usr/bin/env bash
# Runs this example with the built package of this clone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
exec node --experimental-vm-modules ../../node_modules/jest/bin/jest.js
