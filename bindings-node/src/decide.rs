//! The call that decides, written against Node-API itself: through a generated wrapper it would take
//! ten times as long.

use std::ptr;

use napi::bindgen_prelude::Object;
use napi::{Env, JsValue, Result, check_status, sys};
use tokenweir_js::group;

/// Exports [`decide`] as `(group, entry, cost, milliseconds) => number`.
pub(crate) fn export(env: &Env, exports: &Object<'_>) -> Result<()> {
    let name = c"decide".as_ptr();
    let mut function = ptr::null_mut();
    // SAFETY: `env` and `exports` are alive, and the name ends with a NUL.
    unsafe {
        check_status!(sys::napi_create_function(
            env.raw(),
            name,
            -1,
            Some(decide),
            ptr::null_mut(),
            &raw mut function,
        ))?;
        check_status!(sys::napi_set_named_property(
            env.raw(),
            exports.raw(),
            name,
            function,
        ))
    }
}

unsafe extern "C" fn decide(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut arguments = [ptr::null_mut(); 4];
    let mut count = arguments.len();
    let mut result = ptr::null_mut();
    // SAFETY: Node calls this function with an environment and a call of its own. There is room for as
    // many arguments as `count` says; Node fills those that are missing with `undefined`.
    unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &raw mut count,
            arguments.as_mut_ptr(),
            ptr::null_mut(),
            ptr::null_mut(),
        );
        let [group, entry, cost, now] = arguments.map(|argument| number(env, argument));
        let outcome = group::decide(group as u32, entry as u32, cost as i32, now);
        sys::napi_create_int32(env, outcome, &raw mut result);
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
