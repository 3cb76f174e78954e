#!/usr/bin/env bash
# Compiles the WebAssembly modules and writes them, with the JavaScript of the larger one, to pkg/.
#
#   compile.sh           as small as it gets: the standard library is compiled along, without what prints
#                        a panic
#   compile.sh --quick   with the standard library as it comes
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
cd "$repo"

profile=(--release -p tokenweir-wasm -p tokenweir-wasm-slim
    --config 'profile.release.opt-level="z"' --config 'profile.release.lto="fat"'
    --config 'profile.release.codegen-units=1' --config 'profile.release.panic="abort"')

if [[ ${1:-} == --quick ]]; then
    target=target/wasm
    tests/tools/cargo-target.sh wasm32-unknown-unknown build "${profile[@]}" --target-dir "$target"
else
    target=target/wasm-small
    tests/tools/cargo-small.sh wasm32-unknown-unknown build "${profile[@]}" --target-dir "$target"
fi

# The tool and the crate wasm-bindgen must be of one version.
cargo build --release --manifest-path bindings-wasm/bindgen/Cargo.toml --target-dir target/bindgen
rm -rf bindings-wasm/pkg
target/bindgen/release/tokenweir-bindgen \
    "$target/wasm32-unknown-unknown/release/tokenweir_wasm.wasm" bindings-wasm/pkg
cp "$target/wasm32-unknown-unknown/release/tokenweir_wasm_slim.wasm" bindings-wasm/pkg/slim.wasm
