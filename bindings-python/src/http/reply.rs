//! The fields and the body of a reply.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tokenweir::http::{self, Quota, Style};

use super::quota::PyQuota;
use crate::convert::{self, Integer, Reading};
use crate::error::exception;
use crate::outcome::seconds;
use crate::told::{Nanoseconds, Seconds, Told, required_wait};
use tokenweir::Wait;

/// The name of a style.
pub(crate) struct Named(pub(crate) Style);

impl<'py> FromPyObject<'_, 'py> for Named {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let name: PyBackedStr = value.extract()?;
        name.parse().map(Self).map_err(|error: http::StyleError| {
            let message = format!("style: {name:?}: {error}");
            exception(value.py(), "ConfigError", error.code(), &message, None)
        })
    }
}

/// Calls `run` with the quotas as the core has them.
fn with_quotas<R>(quotas: &[Bound<'_, PyQuota>], run: impl FnOnce(&[Quota<'_>]) -> R) -> R {
    let quotas: Vec<_> = quotas.iter().map(|quota| quota.get().quota()).collect();
    run(&quotas)
}

/// All fields a reply carries in a style, each name once: names and values.
///
/// `style` is "draft" (draft-ietf-httpapi-ratelimit-headers since revision 8), "draft-7" (its revision
/// 7), "legacy" (`RateLimit-Limit` and its companions, of revision 6), "x-ratelimit" (the same with `X-`)
/// or "none". The quotas are those of every policy that applies to the request. The reply is a refusal if
/// one of them refuses; it then carries `Retry-After`, see `retry_after`. The draft's style tells of
/// each, the older ones of one: the one that refuses for longest, or else the one with the least left.
#[pyfunction]
#[pyo3(signature = (style, quotas))]
pub(crate) fn fields(style: Named, quotas: Vec<Bound<'_, PyQuota>>) -> Vec<(&'static str, String)> {
    let sent = with_quotas(&quotas, |quotas| http::fields(style.0, quotas));
    sent.into_iter()
        .map(|field| (field.name, field.value))
        .collect()
}

/// The body of a refusal (RFC 9457), as JSON text to be sent as `PROBLEM_MEDIA_TYPE`: the type, title and
/// status of the quota-exceeded problem, your `detail` if any, and the names of the policies that refuse.
#[pyfunction]
#[pyo3(signature = (quotas, detail = None))]
pub(crate) fn problem(quotas: Vec<Bound<'_, PyQuota>>, detail: Option<&str>) -> String {
    with_quotas(&quotas, |quotas| http::problem(quotas, detail))
}

/// The whole seconds of `Retry-After` (RFC 9110 section 10.2.3) for the wait of a refusal: rounded up, so
/// that a retry exactly then is not early; at least 1.
///
/// None if there is nothing to wait for, and for a wait of None, which is never: then no wait helps, and
/// a time would invite a retry that must fail.
#[pyfunction]
#[pyo3(signature = (wait = Told::Nothing, *, wait_ns = Told::Nothing))]
pub(crate) fn retry_after(
    py: Python<'_>,
    wait: Seconds,
    wait_ns: Nanoseconds,
) -> PyResult<Option<u64>> {
    required_wait(py, "wait", wait, wait_ns).map(http::retry_after)
}

/// The instant of an HTTP-date (RFC 9110 section 5.6.7), in nanoseconds of Unix time; None if the text is
/// not one.
///
/// The three forms are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
/// `Sun Nov  6 08:49:37 1994`. The two digits of a year stand for the latest year that is not more than 50
/// years after `now`: a `datetime` or seconds of Unix time, the system's time unless given. A date before
/// 1970 is 0, one after the year 2554 is 2**64 - 1.
#[pyfunction]
#[pyo3(signature = (text, now = None, *, now_ns = None))]
pub(crate) fn parse_date_ns(
    py: Python<'_>,
    text: &str,
    now: Option<Reading>,
    now_ns: Option<Integer>,
) -> PyResult<Option<u64>> {
    Ok(http::parse_date(text, convert::now(py, now, now_ns)?))
}

/// As `parse_date_ns`, in seconds.
#[pyfunction]
#[pyo3(signature = (text, now = None, *, now_ns = None))]
pub(crate) fn parse_date(
    py: Python<'_>,
    text: &str,
    now: Option<Reading>,
    now_ns: Option<Integer>,
) -> PyResult<Option<f64>> {
    let instant = parse_date_ns(py, text, now, now_ns)?;
    Ok(instant.and_then(|instant| seconds(Wait::Ticks(instant))))
}
