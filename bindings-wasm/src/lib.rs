//! tokenweir as a WebAssembly module: the functions of `tokenweir-js`, exported.
//!
//! JavaScript sees the words where they are, in the module's memory.
#![allow(
    missing_docs,
    reason = "each function is documented where it is delegated to"
)]

use tokenweir_js::{ask, convert, fault, group, limits, reservation, run, words};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
pub fn decide(group: u32, entry: u32, cost: f64, now: f64) -> i32 {
    group::decide(group, entry, cost, now)
}

#[wasm_bindgen]
pub fn check(group: u32, entry: u32, cost: f64, now: f64) -> i32 {
    run::check(group, entry, cost, now)
}

#[wasm_bindgen]
pub fn run(group: u32, entry: u32, operation: u32) -> i32 {
    run::run(group, entry, operation)
}

#[wasm_bindgen(js_name = groupNew)]
pub fn group_new(limits: u32) -> i32 {
    group::group_new(limits)
}

#[wasm_bindgen(js_name = groupDrop)]
pub fn group_drop(group: u32) {
    group::group_drop(group);
}

#[wasm_bindgen(js_name = entryNew)]
pub fn entry_new(group: u32) -> i32 {
    group::entry_new(group)
}

#[wasm_bindgen(js_name = entryDrop)]
pub fn entry_drop(group: u32, entry: u32) {
    group::entry_drop(group, entry);
}

#[wasm_bindgen(js_name = decideAll)]
pub fn decide_all() -> i32 {
    group::decide_all()
}

#[wasm_bindgen(js_name = reservationDrop)]
pub fn reservation_drop(reservation: u32) {
    reservation::reservation_drop(reservation);
}

#[wasm_bindgen(js_name = limitsParse)]
pub fn limits_parse(text: &str) -> i32 {
    limits::limits_parse(text)
}

#[wasm_bindgen(js_name = limitsAdd)]
pub fn limits_add(name: &str) -> i32 {
    limits::limits_add(name)
}

#[wasm_bindgen(js_name = limitsBuild)]
pub fn limits_build() -> i32 {
    limits::limits_build()
}

#[wasm_bindgen(js_name = limitsLook)]
pub fn limits_look(limits: u32) -> i32 {
    limits::limits_look(limits)
}

#[wasm_bindgen(js_name = limitsText)]
pub fn limits_text(limits: u32) -> String {
    limits::limits_text(limits)
}

#[wasm_bindgen(js_name = limitsDrop)]
pub fn limits_drop(limits: u32) {
    limits::limits_drop(limits);
}

#[wasm_bindgen]
pub fn nanos(millis: f64) -> i32 {
    convert::nanos(millis)
}

#[wasm_bindgen(js_name = nanosExact)]
pub fn nanos_exact(millis: f64) -> i32 {
    convert::nanos_exact(millis)
}

#[wasm_bindgen]
pub fn millis() {
    convert::millis();
}

#[wasm_bindgen(js_name = faultText)]
pub fn fault_text() -> String {
    fault::text()
}

#[wasm_bindgen(js_name = wordsAddress)]
pub fn words_address() -> usize {
    words::address()
}

#[wasm_bindgen]
pub fn ask(operation: u32, question: &str) -> String {
    ask::ask(operation, question)
}

#[wasm_bindgen(js_name = backoffDrop)]
pub fn backoff_drop(backoff: u32) {
    ask::backoff_drop(backoff);
}
