#!/usr/bin/env bash
# Builds and tests the core with the oldest Rust it promises to work with, `rust-version` in Cargo.toml (or
# the version given). That compiler comes from rustup or, where rustup cannot fetch it, from Debian's
# packages. If neither has it, this fails: nothing else would be a test of the promise.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tools/toolchain.sh
source "$repo/tests/tools/toolchain.sh"
cd "$repo"
version=${1:-$(declared_msrv)}
unpacked=$repo/target/msrv/debian-$version

from_rustup() {
    command -v rustup >/dev/null || return 1
    timeout 300 rustup toolchain install "$version" --profile minimal >&2 || return 1
    PATH=$(dirname "$(rustup which --toolchain "$version" rustc)"):$PATH
}

# Debian's packages of another Rust cannot be installed beside the present one, so they are only unpacked:
# `rustc-web` of Debian 12, `rustc` of Debian 13.
from_debian() {
    command -v apt-get >/dev/null || return 1
    local suffix full
    for suffix in -web ""; do
        full=$(apt-cache madison "rustc$suffix" | awk '{ print $3 }' | grep -m1 "^$version\.") || continue
        unpack "rustc$suffix=$full" "cargo$suffix=$full" "libstd-rust$suffix-dev=$full" \
            "libstd-rust$suffix-$version=$full"
        PATH=$unpacked/usr/bin:$PATH
        LD_LIBRARY_PATH=$(echo "$unpacked"/usr/lib/*-linux-gnu):$unpacked/usr/lib
        export LD_LIBRARY_PATH
        return
    done
    return 1
}

unpack() {
    mkdir -p "$unpacked"
    # Done where apt's own user may write.
    local packages
    packages=$(mktemp -d)
    chmod 755 "$packages"
    (cd "$packages" && apt-get download -qq "$@" >&2)
    local package
    for package in "$packages"/*.deb; do
        dpkg-deb -x "$package" "$unpacked"
        dpkg-deb -f "$package" Depends | tr ',' '\n' | grep -vE 'rust|cargo' >>"$packages/depends"
    done
    # The libraries they need are installed as usual; these do not get in each other's way.
    apt-get satisfy -qq -y --no-install-recommends "$(paste -sd, "$packages/depends")" >&2
    rm -r "$packages"
}

if ! from_rustup && ! from_debian; then
    echo "msrv: there is no Rust $version to be had here, by rustup or from Debian; NOT tested" >&2
    exit 1
fi
# A toolchain chosen by the environment would otherwise win over PATH.
unset RUSTUP_TOOLCHAIN RUSTC
[[ $(rustc --version) == "rustc $version."* ]] || { echo "msrv: got $(rustc --version)" >&2 && exit 1; }

echo "msrv: $(rustc --version)"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/msrv
# A version given by hand may be older than the declared one: the question is then what would break.
relaxed=(${1:+--ignore-rust-version})
cargo check -p tokenweir "${relaxed[@]}"
cargo test -p tokenweir --all-features "${relaxed[@]}"
