#!/usr/bin/env bash
# Lists the public operations of the core that firmware can use: `Type::operation` or `operation`, one a line.
# Asynchronous ones are left out: to each the compiler adds a panic, for whoever polls it once too often.
set -euo pipefail

cd "$(dirname "$0")/../../core/src"
# What allocates or needs an operating system is not for firmware. In the program, `$` is awk's.
# shellcheck disable=SC2016
find . -name '*.rs' ! -path './host/*' ! -path './http/*' ! -path './stored/*' ! -name std_clock.rs -print0 | sort -z | xargs -0 awk '
    # `impl<const N: usize, C: Clock> ClockedBucket<N, C> {`, but no trait for a type.
    /^impl/ {
        type = $0
        sub(/^impl/, "", type)
        if (type ~ / for /) { type = ""; next }
        gsub(/->/, "", type)
        while (sub(/<[^<>]*>/, "", type)) continue
        sub(/^ */, "", type)
        sub(/[^A-Za-z0-9_].*/, "", type)
    }
    /^}/ { type = "" }
    # Deeper within a macro, and without a type for a free function.
    /^pub (const )?fn / || (/^ +pub (const )?fn / && type != "") {
        operation = $0
        sub(/.*fn /, "", operation)
        sub(/[^a-z0-9_].*/, "", operation)
        print (type == "" ? "" : type "::") operation
    }
    # The macro gives each error its code.
    /^coded_error!\(/ { match($0, /[A-Z][A-Za-z]*/); print substr($0, RSTART, RLENGTH) "::code" }
'
