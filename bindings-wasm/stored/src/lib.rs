//! Limits in a store as a WebAssembly module: one function, which answers questions.

use tokenweir_wasm_border::{left, taken};

/// Answers the question that went in, see `tokenweir_js::ask`.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn ask(operation: u32) -> usize {
    left(tokenweir_js::ask::ask_stored(operation, &taken()))
}
