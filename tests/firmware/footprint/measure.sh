#!/usr/bin/env bash
# Prints a Markdown table of what each program in src/bin costs on a Cortex-M0, over the empty one: bytes of
# state, bytes of code, and instructions to grant and to refuse.
set -euo pipefail

cd "$(dirname "$0")/.."
target=thumbv6m-none-eabi
cargo=../tools/cargo-target.sh
programs=${CARGO_TARGET_DIR:-target}/$target/release

code_bytes() { arm-none-eabi-size "$programs/$1" | awk 'NR == 2 { print $1 }'; }

# measure NAME: sets state, code, allow and deny.
measure() {
    code=$(code_bytes "$1")
    local printed
    printed=$(./run.sh microbit "$programs/$1")
    read -r state allow deny <<<"$printed"
}

row() { printf '| %s | %s | %s | %s | %s |\n' "$@"; }

$cargo $target build --release --quiet -p footprint

measure empty
empty_code=$code empty_allow=$allow empty_deny=$deny

row "on Cortex-M0" "state, bytes" "code, bytes" "instructions, allow" "deny"
row --- ---: ---: ---: ---:
for source in footprint/src/bin/*.rs; do
    name=$(basename "$source" .rs)
    [[ $name != empty ]] || continue
    measure "$name"
    code=$((code - empty_code)) allow=$((allow - empty_allow)) deny=$((deny - empty_deny))
    if [[ $name != calibration ]]; then
        row "$name" "$state" "$code" "$allow" "$deny"
    elif [[ "$code $allow $deny" != "200 100 100" ]]; then
        echo "measure.sh: 200 bytes and 100 instructions were measured as $code and $allow, $deny" >&2
        exit 1
    fi
done
