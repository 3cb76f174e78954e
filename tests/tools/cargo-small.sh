#!/usr/bin/env bash
# Runs cargo for a target so that what is built is as small as it gets: the standard library is compiled
# along with the project, optimised for size, and a panic ends the program without a word.
#
#   cargo-small.sh wasm32-unknown-unknown build --release
#
# This takes the source of the standard library: Debian's, or rustup's component rust-src.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tools/toolchain.sh
source "$repo/tests/tools/toolchain.sh"

[[ $# -ge 2 ]] || { echo "usage: cargo-small.sh TARGET CARGO-COMMAND [ARGUMENT…]" >&2 && exit 2; }
target=$1 command=$2
shift 2

if has_std_source; then
    export PATH=/usr/bin:$PATH
    case $target in
        wasm32-*) lld=wasm-ld ;;
        *) lld=ld.lld ;;
    esac
    linker=$(find_lld $lld)
    variable=${target^^}
    export "CARGO_TARGET_${variable//-/_}_LINKER=$linker"
elif ! has_rustup_source; then
    echo "cargo-small: no source of the standard library here; run tests/tools/setup.sh wasm" >&2
    exit 1
fi

# build-std and this kind of panic are unstable, and these are stable compilers.
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="${RUSTFLAGS:-} -Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none"
exec cargo "$command" --target "$target" -Z build-std=std,panic_abort -Z build-std-features= "$@"
