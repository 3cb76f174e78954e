//! Gives the linker the memory map of the board that stands for the target.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let memory = match target.as_str() {
        "thumbv6m-none-eabi" => cortex_m("256K", "16K"),
        "thumbv7m-none-eabi" => cortex_m("256K", "64K"),
        "thumbv7em-none-eabihf" => cortex_m("4M", "4M"),
        "riscv32imc-unknown-none-elf" => riscv(),
        other => panic!("no board stands for the target {other}"),
    };
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("memory.x"), memory).expect("OUT_DIR is writable");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=build.rs");
}

fn cortex_m(flash: &str, ram: &str) -> String {
    format!(
        "MEMORY {{
  FLASH : ORIGIN = 0x00000000, LENGTH = {flash}
  RAM : ORIGIN = 0x20000000, LENGTH = {ram}
}}
"
    )
}

/// The board has no flash: QEMU loads the program into RAM.
fn riscv() -> String {
    let regions = ["TEXT", "RODATA", "DATA", "BSS", "HEAP", "STACK"];
    let aliases = regions.map(|name| format!("REGION_ALIAS(\"REGION_{name}\", RAM);\n"));
    format!(
        "MEMORY {{ RAM : ORIGIN = 0x80000000, LENGTH = 4M }}\n{}",
        aliases.concat()
    )
}
