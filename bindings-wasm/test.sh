#!/usr/bin/env bash
# All tests of the JavaScript packages, which have been built.
set -euo pipefail

cd "$(dirname "$0")"

echo "== types"
node node_modules/typescript/bin/tsc -p test
for package in wasm node; do
    echo "== $package"
    TOKENWEIR_PACKAGE=../../bindings-$package/dist/node node --test test/*.test.mjs test/web/*.test.mjs
done
echo "== native only"
node --test ../bindings-node/test/*.test.mjs
echo "== slim"
node --test test/slim/*.test.mjs
echo "== playground"
node --test test/playground/*.test.mjs
echo "== demo"
node --test ../bindings-node/demo/*.test.mjs
echo "== packed"
node --test test/packed/*.test.mjs
