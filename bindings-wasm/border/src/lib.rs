//! What all WebAssembly modules of tokenweir have: an allocator, and texts that pass in and out.
//!
//! A text that goes in is written by JavaScript where [`text_room`] says; one that comes out is read from
//! where [`text_address`] says, and its length is the result of the call.

use std::cell::RefCell;

// SAFETY: a module without threads is used by one.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: lol_alloc::AssumeSingleThreaded<lol_alloc::FreeListAllocator> =
    unsafe { lol_alloc::AssumeSingleThreaded::new(lol_alloc::FreeListAllocator::new()) };

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a text of so many bytes, and says where.
// SAFETY: no other function has this name.
#[unsafe(export_name = "textRoom")]
pub extern "C" fn text_room(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        *text = vec![0; bytes];
        text.as_mut_ptr()
    })
}

/// Where the text is that came out last.
// SAFETY: no other function has this name.
#[unsafe(export_name = "textAddress")]
pub extern "C" fn text_address() -> *const u8 {
    TEXT.with_borrow(Vec::as_ptr)
}

/// Where the words are.
// SAFETY: no other function has this name.
#[unsafe(export_name = "wordsAddress")]
pub extern "C" fn words_address() -> usize {
    tokenweir_js::words::address()
}

/// The text that went in.
pub fn taken() -> String {
    // SAFETY: JavaScript writes what a `TextEncoder` makes, which is UTF-8 and as long as it said.
    unsafe { String::from_utf8_unchecked(TEXT.take()) }
}

/// Leaves a text to be read; its length.
pub fn left(text: String) -> usize {
    let length = text.len();
    TEXT.set(text.into_bytes());
    length
}
