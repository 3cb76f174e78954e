//! Which of the fields in use a server sends.

use core::fmt;
use core::str::FromStr;

use super::StyleError;

/// The fields a reply carries; `Retry-After` on a refusal goes with every one.
///
/// ```
/// use tokenweir::http::Style;
///
/// assert_eq!("draft-7".parse(), Ok(Style::Draft7));
/// assert_eq!("draft-99".parse::<Style>().unwrap_err().code(), "unknown_field_style");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// `draft`: `RateLimit-Policy: "burst";q=100;w=60` and `RateLimit: "burst";r=50;t=30`, of
    /// draft-ietf-httpapi-ratelimit-headers since revision 8, an item for each policy.
    #[default]
    Draft,
    /// `draft-7`: `RateLimit-Policy: 100;w=60` and `RateLimit: limit=100, remaining=50, reset=30`,
    /// of revision 7.
    Draft7,
    /// `legacy`: `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` in seconds, of
    /// revision 6 and before.
    Legacy,
    /// `x-ratelimit`: `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` in
    /// seconds, of no standard.
    XRateLimit,
    /// `none`: nothing but `Retry-After` on a refusal.
    None,
}

impl Style {
    /// All styles, in the order of the enum.
    pub const ALL: [Self; 5] = [
        Self::Draft,
        Self::Draft7,
        Self::Legacy,
        Self::XRateLimit,
        Self::None,
    ];

    /// The name, which parses back to the same style.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Draft7 => "draft-7",
            Self::Legacy => "legacy",
            Self::XRateLimit => "x-ratelimit",
            Self::None => "none",
        }
    }
}

impl FromStr for Style {
    type Err = StyleError;

    fn from_str(text: &str) -> Result<Self, StyleError> {
        let mut all = Self::ALL.into_iter();
        all.find(|style| style.name() == text)
            .ok_or(StyleError::Unknown)
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
