#!/usr/bin/env bash
# Starts the demo, which has been built. The exit status is that of the demo: 0 when it is interrupted.
set -euo pipefail

cd "$(dirname "$0")"
if [[ ! -t 0 ]]; then exec node main.mjs; fi

# At a terminal it is a job of its own, so that Ctrl-C is for the demo alone: make would count it as a failure.
set -m
node main.mjs
