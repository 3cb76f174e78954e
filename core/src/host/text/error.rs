//! Text that is not a limit.

use alloc::string::String;
use core::fmt;

/// Limits written in a way that cannot be read.
///
/// ```
/// use tokenweir::Limits;
///
/// let error = Limits::parse("100/s; 5/fortnight").unwrap_err();
/// assert_eq!((error.code(), error.column), ("limit_syntax", 10));
/// assert_eq!(
///     error.to_string(),
///     "column 10: expected a unit of time (ns, us, ms, s, min, h, d, w), found \"fortnight\""
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LimitSyntaxError {
    /// Where, in characters; the first is column 1.
    pub column: usize,
    /// What would have been right there.
    pub expected: &'static str,
    /// What is there instead, shortened; nothing at the end of the text.
    pub found: Option<String>,
}

impl LimitSyntaxError {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "limit_syntax"
    }
}

impl fmt::Display for LimitSyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "column {}: expected {}, found ",
            self.column, self.expected
        )?;
        match &self.found {
            Some(found) => write!(f, "{found:?}"),
            None => f.write_str("the end of the text"),
        }
    }
}

impl core::error::Error for LimitSyntaxError {}
