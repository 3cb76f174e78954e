//! Who a request is from, by its address.

use std::net::IpAddr;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use tokenweir::http::{AddressError, ClientAddress, ForwardedField};

use crate::convert::Integer;
use crate::error::{OrRaise, exception};
use crate::told::{count, small_count};

/// Rules for the address that a limit is counted by.
///
/// Without trusted proxies the address is the peer's: whatever a client writes into a field is not
/// believed. With `n` of them it is the n-th from the right in the field they add to, the first written
/// by a proxy that is trusted; the peer's if that is not an address or there are fewer. Trust proxies
/// only if every request passes all of them.
///
/// `field` is "x-forwarded-for" or "forwarded" (RFC 7239); the other one is not looked at. An IPv4
/// address in IPv6 is that IPv4 address. IPv6 addresses are grouped by their first `ipv6_prefix` bits,
/// from 32 to 128, since a client commonly has all those of a /64.
#[pyclass(frozen, eq, hash, name = "ClientAddress", module = "tokenweir.http")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyClientAddress(ClientAddress);

#[pymethods]
impl PyClientAddress {
    #[new]
    #[pyo3(
        signature = (*, trusted_proxies = Integer(0), field = Forwarded(ForwardedField::XForwardedFor), ipv6_prefix = Integer(64)),
        text_signature = "(*, trusted_proxies=0, field='x-forwarded-for', ipv6_prefix=64)"
    )]
    fn new(
        py: Python<'_>,
        trusted_proxies: Integer,
        field: Forwarded,
        ipv6_prefix: Integer,
    ) -> PyResult<Self> {
        let proxies = count(py, "trusted_proxies", trusted_proxies)?;
        let bits = small_count(py, "ipv6_prefix", ipv6_prefix)?;
        let address = ClientAddress::new()
            .with_trusted_proxies(usize::try_from(proxies).unwrap_or(usize::MAX))
            .with_field(field.0)
            .with_ipv6_prefix(bits)
            .or_raise(py)?;
        Ok(Self(address))
    }

    /// How many proxies there are between client and server, each of which adds to the field.
    #[getter]
    fn trusted_proxies(&self) -> usize {
        self.0.trusted_proxies()
    }

    /// The name of the field to pass the lines of, in lower case.
    #[getter]
    fn field(&self) -> &'static str {
        self.0.field().name()
    }

    /// By how many bits IPv6 addresses are grouped; 128 tells all apart.
    #[getter]
    fn ipv6_prefix(&self) -> u32 {
        self.0.ipv6_prefix()
    }

    /// The client's address as the key of a limit: "192.0.2.1", "2001:db8:1:2::/64". Two spellings of an
    /// address give one key (RFC 5952).
    ///
    /// `peer` is the other end of the connection, with or without a port; `lines` the values of the field,
    /// in order, or its one value. A peer without an address, as on a Unix socket, is the key as it is.
    #[pyo3(
        signature = (peer, lines = Lines::NONE),
        text_signature = "($self, peer, lines=())"
    )]
    fn key(&self, peer: &str, lines: Lines) -> String {
        self.0.key(peer, &lines.each())
    }

    /// The client's address, not grouped: None if neither the field nor the peer gives one.
    #[pyo3(
        signature = (peer, lines = Lines::NONE),
        text_signature = "($self, peer, lines=())"
    )]
    fn client(&self, peer: &str, lines: Lines) -> Option<IpAddr> {
        self.0.client(peer, &lines.each())
    }

    fn __repr__(&self) -> String {
        format!(
            "ClientAddress(trusted_proxies={}, field='{}', ipv6_prefix={})",
            self.trusted_proxies(),
            self.field(),
            self.ipv6_prefix(),
        )
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("trusted_proxies", self.trusted_proxies())?;
        named.set_item("field", self.field())?;
        named.set_item("ipv6_prefix", self.ipv6_prefix())?;
        Ok(((), named))
    }
}

/// The name of a field.
struct Forwarded(ForwardedField);

impl<'py> FromPyObject<'_, 'py> for Forwarded {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let name: PyBackedStr = value.extract()?;
        name.parse().map(Self).map_err(|error: AddressError| {
            let message = format!("field: {name:?}: {error}");
            exception(value.py(), "ConfigError", error.code(), &message, None)
        })
    }
}

/// The lines of a field, or its only one.
#[derive(FromPyObject)]
enum Lines {
    #[pyo3(annotation = "str")]
    One(PyBackedStr),
    #[pyo3(annotation = "sequence of str")]
    Several(Vec<PyBackedStr>),
}

impl Lines {
    const NONE: Self = Self::Several(Vec::new());

    fn each(&self) -> Vec<&str> {
        match self {
            Self::One(line) => vec![line],
            Self::Several(lines) => lines.iter().map(|line| &**line).collect(),
        }
    }
}
