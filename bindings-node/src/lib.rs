//! tokenweir as a Node-API module: the functions of `tokenweir-js`, exported.
//!
//! JavaScript gives its words along with each call that uses them.
#![allow(
    missing_docs,
    reason = "each function is documented where it is delegated to"
)]

mod decide;

use napi::bindgen_prelude::{BigInt64ArraySlice, Env, Object, Result};
use napi_derive::napi;
use tokenweir_js::{ask, convert, fault, group, limits, reservation, run, shared, stored, words};

/// Adds the function that decides, which is written by hand.
#[napi(module_exports)]
pub fn export_deciding(exports: Object<'_>, env: Env) -> Result<()> {
    decide::export(&env, &exports)
}

/// Runs `f` with the caller's words.
fn with<R>(mut caller: BigInt64ArraySlice<'_>, f: impl FnOnce() -> R) -> R {
    // SAFETY: JavaScript has one thread for each of its heaps, and it is in this call.
    words::exchanged(unsafe { caller.as_mut() }, f)
}

#[napi]
pub fn check(group: u32, entry: u32, cost: i32, now: f64, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || run::check(group, entry, cost, now))
}

#[napi]
pub fn run(group: u32, entry: u32, operation: u32, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || run::run(group, entry, operation))
}

#[napi]
pub fn group_new(limits: u32, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || group::group_new(limits))
}

#[napi]
pub fn group_drop(group: u32) {
    group::group_drop(group);
}

#[napi]
pub fn entry_new(group: u32, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || group::entry_new(group))
}

#[napi]
pub fn entry_drop(group: u32, entry: u32) {
    group::entry_drop(group, entry);
}

#[napi]
pub fn decide_all(caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, group::decide_all)
}

#[napi]
pub fn reservation_drop(reservation: u32) {
    reservation::reservation_drop(reservation);
}

#[napi]
pub fn limits_parse(text: String, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || limits::limits_parse(&text))
}

#[napi]
pub fn limits_add(name: String, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || limits::limits_add(&name))
}

#[napi]
pub fn limits_build() -> i32 {
    limits::limits_build()
}

#[napi]
pub fn limits_look(limits: u32, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || limits::limits_look(limits))
}

#[napi]
pub fn limits_text(limits: u32) -> String {
    limits::limits_text(limits)
}

#[napi]
pub fn limits_drop(limits: u32) {
    limits::limits_drop(limits);
}

#[napi]
pub fn nanos(millis: f64, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || convert::nanos(millis))
}

#[napi]
pub fn nanos_exact(millis: f64, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || convert::nanos_exact(millis))
}

#[napi]
pub fn millis(caller: BigInt64ArraySlice<'_>) {
    with(caller, convert::millis);
}

#[napi]
pub fn fault_text() -> String {
    fault::text()
}

#[napi]
pub fn words_length() -> u32 {
    words::LEN as u32
}

#[napi]
pub fn ask_http(operation: u32, question: String) -> String {
    ask::ask_http(operation, &question)
}

#[napi]
pub fn stored_check(
    limits: u32,
    mode: i32,
    cost: i32,
    now_us: f64,
    length: i32,
    caller: BigInt64ArraySlice<'_>,
) -> i32 {
    with(caller, || {
        stored::stored_check(limits, mode, cost, now_us, length)
    })
}

#[napi]
pub fn ask_backoff(operation: u32, question: String) -> String {
    ask::ask_backoff(operation, &question)
}

#[napi]
pub fn ask_stored(operation: u32, question: String) -> String {
    ask::ask_stored(operation, &question)
}

#[napi]
pub fn group_shared(limits: u32, name: String, caller: BigInt64ArraySlice<'_>) -> i32 {
    with(caller, || shared::group_shared(limits, &name))
}

#[napi]
pub fn group_limits(group: u32) -> i32 {
    shared::group_limits(group)
}

#[napi]
pub fn shared_now() -> f64 {
    shared::shared_now()
}
