//! Who a request is from, by its address.

use alloc::string::{String, ToString};
use core::fmt::Write;
use core::net::{IpAddr, Ipv6Addr};
use core::str::FromStr;

use super::{AddressError, forwarded};

/// Rules for the address that a limit is counted by.
///
/// Without trusted proxies the address is the peer's: whatever a client writes into a field is not
/// believed. With `n` of them it is the n-th from the right in the field they add to, the first
/// written by a proxy that is trusted; the peer's if that is not an address or there are fewer.
/// Trust proxies only if every request passes all of them.
///
/// An IPv4 address in IPv6 is that IPv4 address. IPv6 addresses are grouped by their prefix, since
/// a client commonly has all those of a /64.
///
/// ```
/// use tokenweir::http::ClientAddress;
///
/// let direct = ClientAddress::new();
/// assert_eq!(direct.key("::ffff:192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
///
/// let behind_one = ClientAddress::new().with_trusted_proxies(1);
/// assert_eq!(behind_one.key("10.0.0.2", &["made-up, 198.51.100.7:4711"]), "198.51.100.7");
/// assert_eq!(behind_one.key("10.0.0.2", &["[2001:db8:1:2:3::4]:80"]), "2001:db8:1:2::/64");
/// ```
#[doc(alias = "X-Forwarded-For")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress {
    trusted_proxies: usize,
    field: ForwardedField,
    ipv6_prefix: u32,
}

/// The field that trusted proxies add the address of their peer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ForwardedField {
    /// `X-Forwarded-For`: addresses with commas between them.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239): elements with `for=`.
    Forwarded,
}

impl ForwardedField {
    /// The name of the field, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::XForwardedFor => "x-forwarded-for",
            Self::Forwarded => "forwarded",
        }
    }
}

impl FromStr for ForwardedField {
    type Err = AddressError;

    /// The name of the field, in any case.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        [Self::XForwardedFor, Self::Forwarded]
            .into_iter()
            .find(|field| field.name().eq_ignore_ascii_case(text))
            .ok_or(AddressError::UnknownField)
    }
}

impl ClientAddress {
    /// No trusted proxies, and IPv6 grouped by /64.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            trusted_proxies: 0,
            field: ForwardedField::XForwardedFor,
            ipv6_prefix: 64,
        }
    }

    /// How many proxies there are between client and server, each of which adds to the field.
    #[must_use]
    pub const fn with_trusted_proxies(mut self, count: usize) -> Self {
        self.trusted_proxies = count;
        self
    }

    /// The field they add to, `X-Forwarded-For` by default; the other one is not looked at.
    #[must_use]
    pub const fn with_field(mut self, field: ForwardedField) -> Self {
        self.field = field;
        self
    }

    /// By how many bits IPv6 addresses are grouped, 64 by default; 128 tells all apart.
    ///
    /// # Errors
    ///
    /// [`AddressError::Ipv6Prefix`] unless from 32 to 128.
    pub const fn with_ipv6_prefix(mut self, bits: u32) -> Result<Self, AddressError> {
        if bits < 32 || bits > 128 {
            return Err(AddressError::Ipv6Prefix { prefix: bits });
        }
        self.ipv6_prefix = bits;
        Ok(self)
    }

    /// How many proxies are trusted.
    #[must_use]
    pub const fn trusted_proxies(&self) -> usize {
        self.trusted_proxies
    }

    /// By how many bits IPv6 addresses are grouped.
    #[must_use]
    pub const fn ipv6_prefix(&self) -> u32 {
        self.ipv6_prefix
    }

    /// The field to pass the lines of.
    #[must_use]
    pub const fn field(&self) -> ForwardedField {
        self.field
    }

    /// The client's address, not grouped: `None` if neither the field nor the peer gives one.
    ///
    /// `peer` is the other end of the connection, with or without a port; `lines` are the values of
    /// the [field](ClientAddress::field), in order.
    #[must_use]
    pub fn client(&self, peer: &str, lines: &[&str]) -> Option<IpAddr> {
        self.forwarded(lines).or_else(|| forwarded::address(peer))
    }

    /// The client's address as the key of a limit: `192.0.2.1`, `2001:db8:1:2::/64`. Two spellings
    /// of an address give one key (RFC 5952).
    ///
    /// A peer without an address, as on a Unix socket, is the key as it is.
    #[must_use]
    pub fn key(&self, peer: &str, lines: &[&str]) -> String {
        match self.client(peer, lines) {
            Some(IpAddr::V4(address)) => address.to_string(),
            Some(IpAddr::V6(address)) => self.group(address),
            None => peer.to_string(),
        }
    }

    fn forwarded(&self, lines: &[&str]) -> Option<IpAddr> {
        let from_the_right = self.trusted_proxies.checked_sub(1)?;
        let entries = match self.field {
            ForwardedField::XForwardedFor => forwarded::x_forwarded_for(lines),
            ForwardedField::Forwarded => forwarded::forwarded(lines)?,
        };
        entries.into_iter().rev().nth(from_the_right)?
    }

    fn group(&self, address: Ipv6Addr) -> String {
        let host_bits = 128_u32.saturating_sub(self.ipv6_prefix);
        let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
        let mut key = Ipv6Addr::from_bits(address.to_bits() & mask).to_string();
        if host_bits > 0 {
            // Writing to a string does not fail.
            let _ = write!(key, "/{}", self.ipv6_prefix);
        }
        key
    }
}

impl Default for ClientAddress {
    fn default() -> Self {
        Self::new()
    }
}
