#!/usr/bin/env bash
# Builds the programs for every board, runs them, and compares what they print with programs/expected.
set -euo pipefail

cd "$(dirname "$0")"
cargo=../tools/cargo-target.sh
targets=(thumbv6m-none-eabi thumbv7m-none-eabi thumbv7em-none-eabihf riscv32imc-unknown-none-elf)
failures=0

program() { echo "${CARGO_TARGET_DIR:-target}/$1/release/$2"; }
ok() { echo "ok      $*"; }
fail() { echo "FAILED  $*"; failures=$((failures + 1)); }

# The runner of .cargo/config.toml starts the board that stands for the target.
run() { $cargo "$1" run --release --quiet -p programs --bin "$2"; }

prints_what_is_expected() {
    local target=$1 name=$2 printed
    if printed=$(run "$target" "$name") && diff "programs/expected/$name.txt" - <<<"$printed"; then
        ok "$target $name"
    else
        fail "$target $name: ${printed:-printed nothing}"
    fi
}

reports_a_panic() {
    local target=$1 printed status=0
    printed=$(run "$target" panics) || status=$?
    if [[ $status == 101 && $printed == *"on purpose"* ]]; then
        ok "$target a panic is reported"
    else
        fail "$target a panic is reported: exit code $status, printed '$printed'"
    fi
}

# That `no_panic` has linked is the proof; it says something only if a panic would have kept it from linking.
does_not_link_with_a_panic() {
    local target=$1 messages
    if messages=$($cargo "$target" build --release --bin no_panic --features planted-panic \
        --target-dir target/planted-panic 2>&1); then
        fail "$target a planted panic does not link: it does"
    elif [[ $messages != *"undefined symbol: this_program_can_panic"* ]]; then
        fail "$target a planted panic does not link: for another reason: $messages"
    else
        ok "$target a planted panic does not link"
    fi
}

calls_every_operation() {
    local calls operations operation missing=()
    calls=$(sed 's/::<[^>]*>//g' programs/src/bin/no_panic/*.rs)
    operations=$(./operations.sh)
    for operation in $operations; do
        grep -q "call!($operation(" <<<"$calls" || missing+=("$operation")
    done
    if [[ ${#missing[@]} == 0 && $(wc -l <<<"$operations") -gt 100 ]]; then
        ok "no_panic calls every public operation"
    else
        fail "no_panic calls every public operation: all of $(wc -l <<<"$operations") but ${missing[*]}"
    fi
}

divides() { arm-none-eabi-nm "$1" | grep -E '__(aeabi_)?u?(l|i|s)?div|__u?(div|mod)[sdt]i3|__udivmod|specialized_div_rem'; }

# The second half shows that the first can fail: whoever asks for a wait divides.
does_not_divide() {
    local target=$1 symbols
    if symbols=$(divides "$(program "$target" decides)"); then
        fail "$target decides without a division: $symbols"
    elif ! divides "$(program "$target" no_panic)" >/dev/null; then
        fail "$target decides without a division: none was found in no_panic either"
    else
        ok "$target decides without a division"
    fi
}

# What the boards replay, here; with it, how much the two halves must come to.
cargo test --quiet -p conformance --test host || fail "the recorded scenarios on this machine"

for target in "${targets[@]}"; do
    $cargo "$target" build --release --quiet -p programs
    for expected in programs/expected/*.txt; do
        prints_what_is_expected "$target" "$(basename "$expected" .txt)"
    done
    reports_a_panic "$target"
done
calls_every_operation
# The smallest core: without a divider, and with the least the optimiser can use.
does_not_link_with_a_panic thumbv6m-none-eabi
does_not_divide thumbv6m-none-eabi

[[ $failures == 0 ]] || { echo "firmware: $failures failed" && exit 1; }
echo "firmware: all passed on ${#targets[@]} boards"
