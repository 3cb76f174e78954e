//! A limit as it is announced: `"burst";q=100;w=60`.

use alloc::string::String;
use alloc::vec::Vec;

use super::PolicyError;
use super::sfv::parse::{Bare, Item};

/// A limit that applies to a request, by name.
///
/// ```
/// use tokenweir::http::{Policy, Unit};
///
/// // 10 MB each half second: a window is announced in whole seconds, rounded up.
/// let policy = Policy::new("bandwidth", 10_000_000)?
///     .with_window(500_000_000)?
///     .with_unit(Unit::ContentBytes);
/// assert_eq!(policy.window_seconds(), Some(1));
/// assert_eq!(Policy::new("größe", 1).unwrap_err().code(), "policy_name_character");
/// # Ok::<(), tokenweir::http::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    name: String,
    quota: u64,
    window_seconds: Option<u64>,
    unit: Option<Unit>,
    partition_key: Option<Vec<u8>>,
}

/// What a quota counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Unit {
    /// `requests`, which is not written.
    #[default]
    Requests,
    /// `content-bytes`.
    ContentBytes,
    /// `concurrent-requests`.
    ConcurrentRequests,
}

impl Unit {
    /// The name of the unit in the fields.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::ContentBytes => "content-bytes",
            Self::ConcurrentRequests => "concurrent-requests",
        }
    }

    /// The unit of that name, if it is known.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Requests, Self::ContentBytes, Self::ConcurrentRequests]
            .into_iter()
            .find(|unit| unit.name() == name)
    }
}

impl Policy {
    /// `quota` units, of requests and without a window until told otherwise.
    ///
    /// # Errors
    ///
    /// [`PolicyError::EmptyName`]; [`PolicyError::NameCharacter`] for anything but printable ASCII.
    pub fn new(name: &str, quota: u64) -> Result<Self, PolicyError> {
        if name.is_empty() {
            return Err(PolicyError::EmptyName);
        }
        let mut characters = name.char_indices();
        if let Some((position, character)) = characters.find(|(_, c)| !matches!(c, ' '..='~')) {
            return Err(PolicyError::NameCharacter {
                character,
                position,
            });
        }
        Ok(Self {
            name: name.into(),
            quota,
            window_seconds: None,
            unit: Some(Unit::Requests),
            partition_key: None,
        })
    }

    /// The time the quota is for, in nanoseconds; announced in seconds, rounded up.
    ///
    /// # Errors
    ///
    /// [`PolicyError::NonPositiveWindow`].
    pub fn with_window(mut self, nanos: u64) -> Result<Self, PolicyError> {
        if nanos == 0 {
            return Err(PolicyError::NonPositiveWindow);
        }
        self.window_seconds = Some(super::seconds(nanos));
        Ok(self)
    }

    /// What the quota counts.
    #[must_use]
    pub fn with_unit(mut self, unit: Unit) -> Self {
        self.unit = Some(unit);
        self
    }

    /// Tells the quota of this caller or resource from others of the policy. It is readable by
    /// whoever sees the reply: no secrets.
    #[must_use]
    pub fn with_partition_key(mut self, key: &[u8]) -> Self {
        self.partition_key = Some(key.into());
        self
    }

    /// The name; empty if received in a style that has none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many units there are.
    #[must_use]
    pub const fn quota(&self) -> u64 {
        self.quota
    }

    /// The time they are for, in seconds.
    #[must_use]
    pub const fn window_seconds(&self) -> Option<u64> {
        self.window_seconds
    }

    /// What they count; `None` if received with a unit this crate does not know.
    #[must_use]
    pub const fn unit(&self) -> Option<Unit> {
        self.unit
    }

    /// Whose quota it is.
    #[must_use]
    pub fn partition_key(&self) -> Option<&[u8]> {
        self.partition_key.as_deref()
    }

    /// A received item, in the draft's form (`"name";q=100`) or that of revision 7 (`100`).
    pub(super) fn from_item(item: Item<'_>) -> Option<Self> {
        let (name, quota) = match &item.value {
            Bare::String(name) => (name.clone(), item.parameter("q")?.unsigned()?),
            value => (String::new(), value.unsigned()?),
        };
        let window_seconds = match item.parameter("w") {
            Some(window) => Some(window.unsigned().filter(|seconds| *seconds > 0)?),
            None => None,
        };
        let unit = match item.parameter("qu") {
            Some(Bare::String(unit)) => Unit::from_name(unit),
            Some(_) => return None,
            None => Some(Unit::Requests),
        };
        Some(Self {
            name,
            quota,
            window_seconds,
            unit,
            partition_key: partition_key(&item)?,
        })
    }
}

/// The `pk` of an item, if it has one; `None` if it is not a byte sequence.
#[expect(clippy::option_option, reason = "absent and malformed differ")]
pub(super) fn partition_key(item: &Item<'_>) -> Option<Option<Vec<u8>>> {
    match item.parameter("pk") {
        Some(Bare::Bytes(key)) => Some(Some(key.clone())),
        Some(_) => None,
        None => Some(None),
    }
}
