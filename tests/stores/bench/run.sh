#!/usr/bin/env bash
# Limits in Redis and PostgreSQL beside what people use instead; the packages have been built.
set -euo pipefail

cd "$(dirname "$0")"

echo "== Node"
npm ci --no-audit --no-fund --silent
node node-bench.mjs "$@"

echo "== Python"
python/run.sh
