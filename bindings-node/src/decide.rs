//! The calls that decide, written against Node-API itself: through a generated wrapper it would take
//! ten times as long.

use std::ffi::CStr;
use std::ptr;

use napi::bindgen_prelude::Object;
use napi::{Env, JsValue, Result, check_status, sys};
use tokenweir_js::group;

/// Exports [`decide`] as `(group, entry, cost, milliseconds) => number`, and [`decide_one`] as
/// `(place, milliseconds) => number`.
pub(crate) fn export(env: &Env, exports: &Object<'_>) -> Result<()> {
    function(env, exports, c"decide", decide)?;
    function(env, exports, c"decideOne", decide_one)
}

fn function(env: &Env, exports: &Object<'_>, name: &CStr, function: Callback) -> Result<()> {
    let mut value = ptr::null_mut();
    // SAFETY: `env` and `exports` are alive, and the name ends with a NUL.
    unsafe {
        check_status!(sys::napi_create_function(
            env.raw(),
            name.as_ptr(),
            -1,
            Some(function),
            ptr::null_mut(),
            &raw mut value,
        ))?;
        check_status!(sys::napi_set_named_property(
            env.raw(),
            exports.raw(),
            name.as_ptr(),
            value,
        ))
    }
}

type Callback =
    unsafe extern "C" fn(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value;

unsafe extern "C" fn decide(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    // SAFETY: Node calls this function with an environment and a call of its own.
    unsafe {
        answered(env, info, |[group, entry, cost, now]| {
            group::decide(group as u32, entry as u32, cost as i32, now)
        })
    }
}

/// A cost of 1, as most are, from the entry in the upper and the group in the lower ten bits of a
/// number: each argument costs as much as the decision.
unsafe extern "C" fn decide_one(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    // SAFETY: as above.
    unsafe {
        answered(env, info, |[place, now]| {
            let place = place as u32;
            group::decide(place & 0x3ff, place >> 10, 1, now)
        })
    }
}

/// Calls `f` with the arguments of a call and returns its answer.
///
/// # Safety
///
/// `info` is a call that is going on in `env`.
#[inline(always)]
unsafe fn answered<const N: usize>(
    env: sys::napi_env,
    info: sys::napi_callback_info,
    f: impl FnOnce([f64; N]) -> i32,
) -> sys::napi_value {
    let mut arguments = [ptr::null_mut(); N];
    let mut count = N;
    let mut result = ptr::null_mut();
    // SAFETY: by the caller's promise. There is room for as many arguments as `count` says; Node fills
    // those that are missing with `undefined`.
    unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &raw mut count,
            arguments.as_mut_ptr(),
            ptr::null_mut(),
            ptr::null_mut(),
        );
        let answer = f(arguments.map(|argument| number(env, argument)));
        sys::napi_create_int32(env, answer, &raw mut result);
    }
    result
}

/// The number that a value is, or NaN.
///
/// # Safety
///
/// `value` belongs to `env`.
#[inline(always)]
unsafe fn number(env: sys::napi_env, value: sys::napi_value) -> f64 {
    let mut number = f64::NAN;
    // SAFETY: by the caller's promise. What is no number leaves NaN.
    unsafe { sys::napi_get_value_double(env, value, &raw mut number) };
    number
}
