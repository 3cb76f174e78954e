#!/usr/bin/env bash
# Compiles the WebAssembly modules and writes them to pkg/.
#
#   compile.sh           as small as it gets: the standard library is compiled along, without what prints
#                        a panic
#   compile.sh --quick   with the standard library as it comes
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
cd "$repo"

modules=(wasm wasm_http wasm_backoff wasm_stored wasm_slim)
packages=("${modules[@]//_/-}")
profile=(--release "${packages[@]/#/-ptokenweir-}"
    --config 'profile.release.opt-level="z"' --config 'profile.release.lto="fat"'
    --config 'profile.release.codegen-units=1' --config 'profile.release.panic="abort"')

if [[ ${1:-} == --quick ]]; then
    target=target/wasm
    tests/tools/cargo-target.sh wasm32-unknown-unknown build "${profile[@]}" --target-dir "$target"
else
    target=target/wasm-small
    tests/tools/cargo-small.sh wasm32-unknown-unknown build "${profile[@]}" --target-dir "$target"
fi

rm -rf bindings-wasm/pkg
mkdir bindings-wasm/pkg
for module in "${modules[@]}"; do
    name=${module#wasm_}
    cp "$target/wasm32-unknown-unknown/release/tokenweir_$module.wasm" "bindings-wasm/pkg/${name/#wasm/engine}.wasm"
done
