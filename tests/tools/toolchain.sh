# shellcheck shell=bash
# Where a compiler for other targets can be found. Sourced by the scripts beside it, which set `repo`.

# The oldest Rust the crates promise to build with.
declared_msrv() { sed -n 's/^rust-version = "\(.*\)"/\1/p' "${repo:?}/Cargo.toml"; }

# Whether the default toolchain has TARGET's standard library.
has_precompiled() {
    command -v rustc >/dev/null && [[ -d $(rustc --print sysroot)/lib/rustlib/$1 ]]
}

# Whether Debian's Rust is installed together with the source of its standard library.
has_std_source() {
    [[ -x /usr/bin/rustc && -x /usr/bin/cargo && -d $(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library ]]
}

# Whether the default toolchain of rustup comes with the source of its standard library.
has_rustup_source() {
    command -v rustc >/dev/null && [[ -d $(rustc --print sysroot)/lib/rustlib/src/rust/library ]]
}

debian_llvm_major() { /usr/bin/rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p'; }

# The LLVM linker, for Debian's Rust, which comes without one: rustup's or else Debian's, by the name it
# has there: ld.lld for ELF files, wasm-ld for wasm.
find_lld() {
    local name=$1 candidate
    for candidate in \
        "$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/rust-lld" \
        "/usr/lib/llvm-$(debian_llvm_major)/bin/$name"; do
        if [[ -x $candidate ]]; then echo "$candidate" && return; fi
    done
    return 1
}
