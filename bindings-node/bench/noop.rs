//! A call of Node-API that takes two numbers and does nothing with them.

use std::ptr;

use napi::bindgen_prelude::Object;
use napi::{Env, JsValue, Result, check_status, sys};

/// Exports `noop`.
#[napi_derive::napi(module_exports)]
pub fn export(exports: Object<'_>, env: Env) -> Result<()> {
    let mut function = ptr::null_mut();
    // SAFETY: `env` and `exports` are alive, and the names end with a NUL.
    unsafe {
        check_status!(sys::napi_create_function(
            env.raw(),
            c"noop".as_ptr(),
            -1,
            Some(noop),
            ptr::null_mut(),
            &raw mut function,
        ))?;
        check_status!(sys::napi_set_named_property(
            env.raw(),
            exports.raw(),
            c"noop".as_ptr(),
            function,
        ))
    }
}

unsafe extern "C" fn noop(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut arguments = [ptr::null_mut(); 2];
    let mut count = arguments.len();
    let (mut sum, mut result) = (0.0, ptr::null_mut());
    // SAFETY: Node calls this function with an environment and a call of its own.
    unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &raw mut count,
            arguments.as_mut_ptr(),
            ptr::null_mut(),
            ptr::null_mut(),
        );
        for argument in arguments {
            let mut number = 0.0;
            sys::napi_get_value_double(env, argument, &raw mut number);
            sum += number;
        }
        sys::napi_create_int32(env, sum as i32, &raw mut result);
    }
    result
}
