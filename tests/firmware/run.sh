#!/usr/bin/env bash
# Runs a firmware program on an emulated board; its exit code is the program's own.
#
#   run.sh microbit|lm3s6965evb|mps2-an386|virt PROGRAM
#
# Time on the board is counted in instructions (2^10 ns each), so that a run does the same every time,
# however busy this machine is, and the board's timer can count instructions.
set -euo pipefail

board=$1 program=$2

case $board in
    virt) qemu=(qemu-system-riscv32 -machine virt -bios none) ;;
    *) qemu=(qemu-system-arm -machine "$board") ;;
esac

status=0
timeout --foreground "${TIMEOUT:-60}" "${qemu[@]}" \
    -display none -monitor none -serial none \
    -semihosting-config enable=on,target=native \
    -icount shift=10 \
    -kernel "$program" </dev/null || status=$?
[[ $status != 124 ]] || echo "run.sh: $program did not finish on $board in time" >&2
exit "$status"
