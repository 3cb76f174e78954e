#!/usr/bin/env bash
# Runs cargo for a target other than this machine, by whichever way there is (see setup.sh):
#
#   cargo-target.sh thumbv6m-none-eabi build --release
#
# With the target precompiled by rustup that is plain cargo. Otherwise Debian's second Rust compiles the
# standard library along with the project; it is used for this command only, never for host builds.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tools/toolchain.sh
source "$repo/tests/tools/toolchain.sh"

[[ $# -ge 2 ]] || { echo "usage: cargo-target.sh TARGET CARGO-COMMAND [ARGUMENT…]" >&2 && exit 2; }
target=$1 command=$2
shift 2

if has_precompiled "$target"; then
    exec cargo "$command" --target "$target" "$@"
fi

if ! has_std_source; then
    echo "cargo-target: no Rust for $target here; run tests/tools/setup.sh firmware or wasm" >&2
    exit 1
fi

case $target in
    wasm32-*) std=std,panic_abort lld=wasm-ld ;;
    *) std=core,alloc lld=ld.lld ;;
esac
linker=$(find_lld $lld)
variable=${target^^}
export "CARGO_TARGET_${variable//-/_}_LINKER=$linker"
# build-std is unstable, and this is a stable compiler.
export RUSTC_BOOTSTRAP=1 PATH=/usr/bin:$PATH
exec /usr/bin/cargo "$command" --target "$target" -Z build-std=$std "$@"
