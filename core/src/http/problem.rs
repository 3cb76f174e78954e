//! The body of a refusal: problem details (RFC 9457).

use alloc::string::String;

use super::Quota;
use super::sfv::write;

/// The media type of [`problem`].
pub const PROBLEM_MEDIA_TYPE: &str = "application/problem+json";

/// The problem type of [`problem`], of draft-ietf-httpapi-ratelimit-headers.
pub const QUOTA_EXCEEDED: &str = "https://iana.org/assignments/http-problem-types#quota-exceeded";

/// The status code of a refusal (RFC 6585): 429 Too Many Requests.
pub const TOO_MANY_REQUESTS: u16 = 429;

/// The body of a refusal, as JSON: the type, title and status of the quota-exceeded problem, your
/// `detail` if any, and in `violated-policies` the names of the policies that refuse.
///
/// ```
/// use tokenweir::Wait;
/// use tokenweir::http::{Policy, Quota, problem};
///
/// let policy = Policy::new("daily", 1000)?;
/// let quota = Quota::new(&policy, 0, Wait::Never).with_retry_after(Wait::Ticks(60));
/// assert_eq!(
///     problem(&[quota], Some("Come back \"tomorrow\".")),
///     concat!(
///         r#"{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","#,
///         r#""title":"Quota Exceeded","status":429,"detail":"Come back \"tomorrow\".","#,
///         r#""violated-policies":["daily"]}"#,
///     ),
/// );
/// # Ok::<(), tokenweir::http::PolicyError>(())
/// ```
#[must_use]
pub fn problem(quotas: &[Quota<'_>], detail: Option<&str>) -> String {
    let mut out = String::from("{\"type\":");
    string(QUOTA_EXCEEDED, &mut out);
    out.push_str(",\"title\":\"Quota Exceeded\",\"status\":");
    write::decimal(TOO_MANY_REQUESTS.into(), &mut out);
    if let Some(detail) = detail {
        out.push_str(",\"detail\":");
        string(detail, &mut out);
    }
    out.push_str(",\"violated-policies\":[");
    let mut first = true;
    for quota in quotas.iter().filter(|quota| quota.refuses()) {
        if !first {
            out.push(',');
        }
        first = false;
        string(quota.policy().name(), &mut out);
    }
    out.push_str("]}");
    out
}

/// A JSON string (RFC 8259 section 7): quotes, backslashes and control characters are escaped.
fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '\0'..='\x1f' => {
                let code = u32::from(character);
                out.push_str("\\u00");
                out.extend(
                    [code >> 4, code & 15].map(|digit| char::from_digit(digit, 16).unwrap_or('0')),
                );
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}
