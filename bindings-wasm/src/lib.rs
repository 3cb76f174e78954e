//! Limiters as a WebAssembly module: the functions of `tokenweir-js`, exported as they are.
//!
//! JavaScript sees the words where they are, in the module's memory.
#![allow(
    missing_docs,
    reason = "each function is documented where it is delegated to"
)]

use tokenweir_js::{convert, fault, group, limits, reservation, run};
use tokenweir_wasm_border::{left, taken};

macro_rules! exported {
    ($($name:literal $function:ident ($($argument:ident: $kind:ty),*) -> $result:ty { $($body:tt)* })+) => {$(
        // SAFETY: no other function has this name.
        #[unsafe(export_name = $name)]
        pub extern "C" fn $function($($argument: $kind),*) -> $result { $($body)* }
    )+};
}

exported! {
    "decide" decide(group: u32, entry: u32, cost: i32, now: f64) -> i32 { group::decide(group, entry, cost, now) }
    "decideOne" decide_one(group: u32, now: f64) -> i32 { group::decide_one(group, now) }
    "check" check(group: u32, entry: u32, cost: i32, now: f64) -> i32 { run::check(group, entry, cost, now) }
    "run" run(group: u32, entry: u32, operation: u32) -> i32 { run::run(group, entry, operation) }
    "groupNew" group_new(limits: u32) -> i32 { group::group_new(limits) }
    "groupDrop" group_drop(group: u32) -> () { group::group_drop(group); }
    "entryNew" entry_new(group: u32) -> i32 { group::entry_new(group) }
    "entryDrop" entry_drop(group: u32, entry: u32) -> () { group::entry_drop(group, entry); }
    "decideAll" decide_all() -> i32 { group::decide_all() }
    "reservationDrop" reservation_drop(reservation: u32) -> () { reservation::reservation_drop(reservation); }
    "limitsParse" limits_parse() -> i32 { limits::limits_parse(&taken()) }
    "limitsAdd" limits_add() -> i32 { limits::limits_add(&taken()) }
    "limitsBuild" limits_build() -> i32 { limits::limits_build() }
    "limitsLook" limits_look(limits: u32) -> i32 { limits::limits_look(limits) }
    "limitsText" limits_text(limits: u32) -> usize { left(limits::limits_text(limits)) }
    "limitsDrop" limits_drop(limits: u32) -> () { limits::limits_drop(limits); }
    "nanos" nanos(millis: f64) -> i32 { convert::nanos(millis) }
    "nanosExact" nanos_exact(millis: f64) -> i32 { convert::nanos_exact(millis) }
    "millis" millis() -> () { convert::millis(); }
    "faultText" fault_text() -> usize { left(fault::text()) }
}
