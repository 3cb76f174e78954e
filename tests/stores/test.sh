#!/usr/bin/env bash
# The stores of the packages, which have been built, on real servers that the tests start.
set -euo pipefail

cd "$(dirname "$0")"

echo "== types"
node ../../bindings-wasm/node_modules/typescript/bin/tsc -p ../../bindings-node/test
echo "== Node"
node --test ./*.test.mjs

echo "== Python"
python/run.sh
