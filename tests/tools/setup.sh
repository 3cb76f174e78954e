#!/usr/bin/env bash
# Installs what building and testing needs, by group:
#
#   setup.sh rust       cargo, clippy and rustfmt for this machine
#   setup.sh firmware   the bare-metal targets, QEMU, Arm binutils
#   setup.sh python     Python with venv and pip
#   setup.sh wasm       the wasm32 target, and the source of the standard library
#   setup.sh node       Node and npm, and what the JavaScript packages are built and tested with
#   setup.sh chromium   a browser to test in
#   setup.sh stores     Redis and PostgreSQL, which tests start for themselves
#   setup.sh lint       shellcheck
#   setup.sh fuzz       a nightly compiler and cargo-fuzz
#   setup.sh make       make itself
#
# What is there already is left alone. On a system without apt, whatever is missing is named and the
# script fails; it never goes on without something.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tools/toolchain.sh
source "$repo/tests/tools/toolchain.sh"

firmware_targets=(thumbv6m-none-eabi thumbv7m-none-eabi thumbv7em-none-eabihf riscv32imc-unknown-none-elf)

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null; }

as_root() {
    if [[ $(id -u) == 0 ]]; then "$@"; elif have sudo; then sudo "$@"; else die "must be root to run: $*"; fi
}

# apt_install WHAT-FOR PACKAGE…
apt_install() {
    local purpose=$1
    shift
    have apt-get || die "missing: $purpose. Install it by your system's own means (in Debian: $*)."
    say "installing $purpose: $*"
    apt_update_once
    # Recommendations are left out because QEMU's drag in a desktop's worth of packages.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 "$@" >&2
}

apt_update_once() {
    [[ -n ${apt_updated:-} ]] || as_root apt-get update -qq -o DPkg::Lock::Timeout=300 >&2
    apt_updated=1
}

# True if the first version is at least the second.
at_least() { printf '%s\n%s\n' "$2" "$1" | sort -C -V; }

host_rust_is_complete() {
    have cargo && have cargo-clippy && have rustfmt || return 1
    at_least "$(rustc --version | cut -d' ' -f2)" "$(declared_msrv)"
}

setup_rust() {
    have cc || apt_install "a C linker" gcc libc6-dev
    host_rust_is_complete && return
    if have rustup && rustc --version >/dev/null 2>&1; then
        # Whether and when a toolchain is updated is for its owner to say.
        rustup component add clippy rustfmt >&2
    elif have rustup; then
        say "installing the stable toolchain with rustup"
        rustup toolchain install stable --profile default >&2
    else
        # Debian's plain `rustc` may be years old; `rustc-web` follows the browsers' needs.
        apt_install "Rust $(declared_msrv) or later, clippy and rustfmt" \
            rustc-web cargo-web rust-web-clippy rustfmt-web
    fi
    host_rust_is_complete || die "missing: cargo, clippy and rustfmt $(declared_msrv) or later, first in PATH"
}

# Targets are precompiled by rustup where it can fetch them. Elsewhere Debian's second Rust, which comes
# with the standard library's source, compiles them as part of each build (see cargo-target.sh).
setup_targets() {
    local missing=() target
    for target in "$@"; do has_precompiled "$target" || missing+=("$target"); done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if have rustup && timeout 120 rustup target add "${missing[@]}" >&2; then return; fi
    has_std_source || apt_install "Rust with its standard library's source, for ${missing[*]}" \
        rustc-web cargo-web rust-web-src rust-web-clippy
    has_std_source || die "missing: the Rust targets ${missing[*]}"
    # The linker has to understand the object files of that Rust's own LLVM.
    find_lld ld.lld >/dev/null || apt_install "the LLVM linker" "lld-$(debian_llvm_major)"
}

setup_qemu() {
    have qemu-system-arm || apt_install "QEMU for Arm" qemu-system-arm
    have qemu-system-riscv32 && return
    # Debian 13 moved RISC-V out of the package of the less usual machines.
    apt_update_once_if_apt
    if apt-cache show qemu-system-riscv >/dev/null 2>&1; then
        apt_install "QEMU for RISC-V" qemu-system-riscv
    else
        apt_install "QEMU for RISC-V" qemu-system-misc
    fi
}

apt_update_once_if_apt() { ! have apt-get || apt_update_once; }

setup_firmware() {
    setup_rust
    setup_targets "${firmware_targets[@]}"
    setup_qemu
    have arm-none-eabi-size || apt_install "binutils for Arm" binutils-arm-none-eabi
}

setup_wasm() {
    setup_rust
    setup_targets wasm32-unknown-unknown
    # Small modules compile the standard library along (see cargo-small.sh).
    has_std_source || has_rustup_source && return
    if have rustup && timeout 120 rustup component add rust-src >&2; then return; fi
    apt_install "Rust with its standard library's source" rustc-web cargo-web rust-web-src
    find_lld wasm-ld >/dev/null || apt_install "the LLVM linker" "lld-$(debian_llvm_major)"
    has_std_source || die "missing: the source of Rust's standard library"
}

node_is_new_enough() { have node && at_least "$(node --version | tr -d v)" 20.0.0 && have npm; }

setup_node() {
    setup_rust
    # Debian 12 has Node 18, Debian 13 has Node 20.
    node_is_new_enough || apt_install "Node 20 or later and npm" nodejs npm
    node_is_new_enough || die "missing: Node 20 or later (found: $(node --version 2>/dev/null || echo none)) and npm"
    local folder
    for folder in bindings-wasm bindings-node; do
        # npm leaves this behind when it has installed just what the lock file says.
        [[ $repo/$folder/node_modules/.package-lock.json -nt $repo/$folder/package-lock.json ]] && continue
        say "installing what $folder is built and tested with"
        (cd "$repo/$folder" && npm ci --no-audit --no-fund >&2)
    done
}

setup_chromium() {
    have chromium || have google-chrome || have chromium-browser || apt_install "a browser" chromium
}

# What the Python package needs beyond that is pinned in its own requirements files.
python_is_complete() {
    have python3 && python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null
}

setup_python() {
    python_is_complete || apt_install "Python 3.10 or later with venv and pip" python3 python3-venv python3-pip
    python_is_complete || die "missing: Python 3.10 or later with venv and pip"
}

# Fuzzing needs an unstable compiler, which only rustup has.
setup_fuzz() {
    have rustup || die "missing: rustup, for a nightly compiler"
    rustc +nightly --version >/dev/null 2>&1 || rustup toolchain install nightly --profile minimal >&2
    have cargo-fuzz || cargo install cargo-fuzz --locked >&2
}

# Tests start servers of their own; what the packages start by themselves is left alone.
setup_stores() {
    if ! have redis-server || ! have redis-cli; then apt_install "Redis" redis-server; fi
    have_postgres || apt_install "PostgreSQL" postgresql
    have_postgres || die "missing: PostgreSQL's initdb and postgres"
}

have_postgres() {
    local bin
    for bin in /usr/lib/postgresql/*/bin "$(pg_config --bindir 2>/dev/null)"; do
        [[ -x $bin/initdb && -x $bin/postgres ]] && return
    done
    return 1
}

setup_make() { have make || apt_install make make; }

setup_lint() {
    setup_rust
    have shellcheck || apt_install shellcheck shellcheck
}

[[ $# -gt 0 ]] || die "usage: setup.sh rust|firmware|wasm|python|node|chromium|stores|lint|fuzz|make …"
for group in "$@"; do
    declare -F "setup_$group" >/dev/null || die "no such group: $group"
    "setup_$group"
done
