#!/usr/bin/env bash
# Prints a Markdown table of what each program in src/bin costs on a Cortex-M0, over the empty one: bytes of
# state, bytes of code, and instructions to grant and to refuse. Fails where that is more than `most` allows.
set -euo pipefail

cd "$(dirname "$0")/.."
target=thumbv6m-none-eabi
cargo=../tools/cargo-target.sh
programs=${CARGO_TARGET_DIR:-target}/$target/release
failed=0

# The most that NAME may cost: state, code, allow, deny. Peers cost what they cost.
most() {
    case $1 in
        # What the crate promises.
        tiny_bucket) echo 8 256 30 15 ;;
        atomic_bucket) echo 8 512 120 80 ;;
        # About a tenth above what was measured: another compiler may lay out the code differently.
        atomic_cycle_limiter) echo 8 900 630 165 ;;
        bucket) echo 24 2300 320 275 ;;
        cycle_limiter) echo 32 1000 920 265 ;;
    esac
}

code_bytes() { arm-none-eabi-size "$programs/$1" | awk 'NR == 2 { print $1 }'; }

row() { printf '| %s | %s | %s | %s | %s | %s |\n' "$@"; }

# check NAME WHAT COST MOST
check() {
    (($3 > $4)) || return 0
    echo "measure.sh: $1 costs $3 $2, at most $4 are allowed" >&2
    failed=1
}

names=()
for source in footprint/src/bin/*.rs; do names+=("$(basename "$source" .rs)"); done

# For the size, programs that do nothing but decide; then those that count instructions.
$cargo $target build --release --quiet -p footprint --features bare
declare -A code
for name in "${names[@]}"; do code[$name]=$(code_bytes "$name"); done
$cargo $target build --release --quiet -p footprint

# measure NAME: sets state, whole, allow and deny.
measure() {
    local printed
    printed=$(./run.sh microbit "$programs/$1")
    read -r state whole allow deny <<<"$printed"
}

measure empty
empty_allow=$allow empty_deny=$deny

row "on a Cortex-M0" "bytes of state" "with its limits" "bytes of code" "instructions to allow" "to deny"
row --- ---: ---: ---: ---: ---:
for name in "${names[@]}"; do
    [[ $name != empty ]] || continue
    measure "$name"
    bytes=$((code[$name] - code[empty])) allow=$((allow - empty_allow)) deny=$((deny - empty_deny))
    if [[ $name == calibration ]]; then
        [[ "$bytes $allow $deny" == "200 100 100" ]] && continue
        echo "measure.sh: 200 bytes and 100 instructions were measured as $bytes and $allow, $deny" >&2
        exit 1
    fi
    label=$(sed -n '1s|^//! ||p' "footprint/src/bin/$name.rs")
    row "$label" "$state" "$whole" "$bytes" "$allow" "$deny"
    read -r most_state most_bytes most_allow most_deny <<<"$(most "$name")"
    [[ -n $most_state ]] || continue
    check "$name" "bytes of state" "$state" "$most_state"
    check "$name" "bytes of code" "$bytes" "$most_bytes"
    check "$name" "instructions to allow" "$allow" "$most_allow"
    check "$name" "instructions to deny" "$deny" "$most_deny"
done

cat <<EOF

Built with opt-level $(sed -n 's/^opt-level = //p' Cargo.toml) and link-time optimisation, the limits hidden from the compiler. Bytes of
state: what changes from call to call; beside it the whole type. Code: what the program is larger by than one that
decides nothing; for better-bucket that includes its constructor, which cannot run at compile time. Instructions: the
most that any of 64 decisions took, a tick apart, as QEMU counts them; of a cycle limiter that is the first
grant of a cycle. governor is not here: it does not build for a target without \`std\` (0.10, because of \`web-time\`).
EOF
exit $failed
