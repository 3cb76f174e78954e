//! One limit of a bucket.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tokenweir::signed::{SignedBandwidth, SignedRefill};
use tokenweir::{Bandwidth, BandwidthId, Limit, Refill};

use crate::convert::{Instant, Integer, Nanos, RATE, required};
use crate::error::OrRaise;

/// One limit of a `TokenBucket`: a capacity and a refill of `tokens` every period.
///
/// Capacity, tokens and the period in nanoseconds go from 1 to 2**63 - 1. The rate is kept as the
/// ratio tokens/period, so 7 per second is exactly that. A period is seconds (an int, or a float taken
/// as the decimal it is written as), a `timedelta`, or `period_ns`; one that is not a whole number of
/// nanoseconds is an error.
///
/// In any window of T a bandwidth grants at most capacity + T * tokens / period tokens, rounded up.
#[pyclass(
    frozen,
    eq,
    hash,
    name = "Bandwidth",
    module = "tokenweir",
    from_py_object
)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyBandwidth {
    pub(crate) limit: Bandwidth,
    id: Option<Id>,
}

/// An id as it was given.
#[derive(Clone, PartialEq, Eq, Hash, FromPyObject, IntoPyObject)]
pub(crate) enum Id {
    Name(String),
    Number(u64),
}

impl Id {
    fn get(&self) -> BandwidthId {
        match self {
            Self::Name(name) => BandwidthId::of(name),
            Self::Number(number) => BandwidthId::new(*number),
        }
    }
}

impl PyBandwidth {
    fn built(py: Python<'_>, numbers: SignedBandwidth, id: Option<Id>) -> PyResult<Self> {
        let limit = numbers.build().or_raise(py)?;
        Ok(Self::with(limit, id))
    }

    fn with(limit: Bandwidth, id: Option<Id>) -> Self {
        let limit = match &id {
            Some(id) => limit.with_id(id.get()),
            None => limit,
        };
        Self { limit, id }
    }

    /// This bandwidth among limits, where its id is its name.
    pub(crate) fn to_limit(&self) -> Limit {
        let limit = Limit::bandwidth(self.limit);
        match &self.id {
            Some(Id::Name(name)) => limit.named(name.as_str()),
            Some(Id::Number(number)) => limit.named(number.to_string()),
            None => limit,
        }
    }

    /// What it was built from.
    fn numbers(&self) -> SignedBandwidth {
        let limit = &self.limit;
        SignedBandwidth {
            capacity: limit.capacity().into(),
            tokens: limit.tokens().into(),
            period: limit.period().into(),
            refill: match limit.refill() {
                Refill::Greedy => SignedRefill::Greedy,
                Refill::Interval => SignedRefill::Interval,
                Refill::Aligned { first_refill } => SignedRefill::Aligned {
                    first_refill: first_refill.into(),
                },
                Refill::Adaptive { first_refill } => SignedRefill::Adaptive {
                    first_refill: first_refill.into(),
                },
            },
            initial_tokens: limit.initial_tokens().map(Into::into),
        }
    }
}

/// The numbers of a bandwidth that has no initial tokens of its own.
fn numbers(
    Integer(capacity): Integer,
    Integer(tokens): Integer,
    period: i128,
    refill: SignedRefill,
) -> SignedBandwidth {
    SignedBandwidth {
        capacity,
        tokens,
        period,
        refill,
        initial_tokens: None,
    }
}

#[pymethods]
impl PyBandwidth {
    /// `tokens` every period, each as soon as its share of the period has passed (a leaky bucket as a
    /// meter, also known as GCRA), with a burst of `capacity`.
    #[staticmethod]
    #[pyo3(signature = (capacity, tokens, period = None, *, period_ns = None))]
    fn greedy(
        py: Python<'_>,
        capacity: Integer,
        tokens: Integer,
        period: Option<Nanos>,
        period_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let period = required("period", period, period_ns)?;
        Self::built(
            py,
            numbers(capacity, tokens, period, SignedRefill::Greedy),
            None,
        )
    }

    /// `tokens` at once at the end of each period, counted from the creation of the bucket.
    #[staticmethod]
    #[pyo3(signature = (capacity, tokens, period = None, *, period_ns = None))]
    fn interval(
        py: Python<'_>,
        capacity: Integer,
        tokens: Integer,
        period: Option<Nanos>,
        period_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let period = required("period", period, period_ns)?;
        Self::built(
            py,
            numbers(capacity, tokens, period, SignedRefill::Interval),
            None,
        )
    }

    /// `tokens` at once at `first_refill` and every period after it, on a clock that tells civil time.
    ///
    /// `first_refill` is an aware `datetime` or seconds since the Unix epoch.
    #[staticmethod]
    #[pyo3(signature = (capacity, tokens, period = None, first_refill = None, *, period_ns = None, first_refill_ns = None))]
    fn aligned(
        py: Python<'_>,
        capacity: Integer,
        tokens: Integer,
        period: Option<Nanos>,
        first_refill: Option<Instant>,
        period_ns: Option<Integer>,
        first_refill_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let period = required("period", period, period_ns)?;
        let first_refill = required("first_refill", first_refill.map(|at| at.0), first_refill_ns)?;
        let refill = SignedRefill::Aligned { first_refill };
        Self::built(py, numbers(capacity, tokens, period, refill), None)
    }

    /// As `aligned`, starting with the share of the tokens that the time until the first refill
    /// deserves, rounded down.
    #[staticmethod]
    #[pyo3(signature = (capacity, tokens, period = None, first_refill = None, *, period_ns = None, first_refill_ns = None))]
    fn adaptive(
        py: Python<'_>,
        capacity: Integer,
        tokens: Integer,
        period: Option<Nanos>,
        first_refill: Option<Instant>,
        period_ns: Option<Integer>,
        first_refill_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let period = required("period", period, period_ns)?;
        let first_refill = required("first_refill", first_refill.map(|at| at.0), first_refill_ns)?;
        let refill = SignedRefill::Adaptive { first_refill };
        Self::built(py, numbers(capacity, tokens, period, refill), None)
    }

    /// `tokens` each period, greedily, with a burst of as many.
    #[staticmethod]
    #[pyo3(signature = (tokens, period = None, *, period_ns = None))]
    fn per(
        py: Python<'_>,
        tokens: Integer,
        period: Option<Nanos>,
        period_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let period = required("period", period, period_ns)?;
        let Integer(n) = tokens;
        Self::built(
            py,
            numbers(Integer(n), Integer(n), period, SignedRefill::Greedy),
            None,
        )
    }

    /// `rate` tokens each second, at most `capacity` at once, each as soon as its share has passed.
    ///
    /// A float is kept as the simplest ratio of integers that rounds to it: 0.1 is one token in ten
    /// seconds, 2.5 one in 0.4 s, and `1 / 3` one in three.
    #[staticmethod]
    fn from_rate(py: Python<'_>, rate: f64, capacity: Integer) -> PyResult<Self> {
        let limit = Bandwidth::from_rate(rate, 1, RATE).or_raise(py)?;
        Self::with(limit, None).with_capacity(py, capacity)
    }

    /// This bandwidth with another capacity.
    fn with_capacity(&self, py: Python<'_>, capacity: Integer) -> PyResult<Self> {
        let Integer(capacity) = capacity;
        let numbers = SignedBandwidth {
            capacity,
            ..self.numbers()
        };
        Self::built(py, numbers, self.id.clone())
    }

    /// This bandwidth with this many tokens in a new bucket instead of its capacity; more than the
    /// capacity is allowed.
    fn with_initial_tokens(&self, py: Python<'_>, tokens: Integer) -> PyResult<Self> {
        let initial_tokens = Some(tokens.0);
        let numbers = SignedBandwidth {
            initial_tokens,
            ..self.numbers()
        };
        Self::built(py, numbers, self.id.clone())
    }

    /// This bandwidth with a name or number by which it is found again when a bucket's bandwidths are
    /// replaced.
    fn with_id(&self, id: Id) -> Self {
        Self::with(self.limit, Some(id))
    }

    /// The largest number of tokens the refill leads to.
    #[getter]
    fn capacity(&self) -> u64 {
        self.limit.capacity()
    }

    /// The tokens refilled each period.
    #[getter]
    fn tokens(&self) -> u64 {
        self.limit.tokens()
    }

    /// The period, in nanoseconds.
    #[getter]
    fn period_ns(&self) -> u64 {
        self.limit.period()
    }

    /// How the tokens come back: "greedy", "interval", "aligned" or "adaptive".
    #[getter]
    fn refill(&self) -> &'static str {
        match self.limit.refill() {
            Refill::Greedy => "greedy",
            Refill::Interval => "interval",
            Refill::Aligned { .. } => "aligned",
            Refill::Adaptive { .. } => "adaptive",
        }
    }

    /// The first refill of an aligned or adaptive bandwidth, in nanoseconds since the Unix epoch.
    #[getter]
    fn first_refill_ns(&self) -> Option<u64> {
        match self.limit.refill() {
            Refill::Aligned { first_refill } | Refill::Adaptive { first_refill } => {
                Some(first_refill)
            }
            Refill::Greedy | Refill::Interval => None,
        }
    }

    /// The tokens of a new bucket, where they were given.
    #[getter]
    fn initial_tokens(&self) -> Option<u64> {
        self.limit.initial_tokens()
    }

    /// The name or number it was given.
    #[getter]
    fn id(&self) -> Option<Id> {
        self.id.clone()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let limit = &self.limit;
        let mut text = format!(
            "Bandwidth.{}({}, {}, period_ns={}",
            self.refill(),
            limit.capacity(),
            limit.tokens(),
            limit.period()
        );
        if let Some(first) = self.first_refill_ns() {
            text += &format!(", first_refill_ns={first}");
        }
        text.push(')');
        if let Some(tokens) = limit.initial_tokens() {
            text += &format!(".with_initial_tokens({tokens})");
        }
        if let Some(id) = &self.id {
            let id = id.clone().into_pyobject(py)?;
            text += &format!(".with_id({})", id.repr()?);
        }
        Ok(text)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let rebuild = py
            .import("tokenweir._native")?
            .getattr("_rebuild_bandwidth")?;
        let limit = &self.limit;
        let numbers = (limit.capacity(), limit.tokens(), limit.period());
        let rest = (
            self.first_refill_ns(),
            limit.initial_tokens(),
            self.id.clone(),
        );
        Ok((rebuild, (self.refill().to_owned(), numbers, rest)))
    }
}

/// The refill; capacity, tokens, period; first refill, initial tokens, id.
type Parts = (
    String,
    (u64, u64, u64),
    (Option<u64>, Option<u64>, Option<Id>),
);

/// The bandwidth that was pickled.
#[pyfunction]
#[pyo3(name = "_rebuild_bandwidth", signature = (refill, numbers, rest, /))]
pub(crate) fn rebuild_bandwidth(
    py: Python<'_>,
    refill: &str,
    numbers: (u64, u64, u64),
    rest: (Option<u64>, Option<u64>, Option<Id>),
) -> PyResult<PyBandwidth> {
    let (capacity, tokens, period) = numbers;
    let (first, initial_tokens, id) = rest;
    let refill = match (refill, first.map(i128::from)) {
        ("greedy", None) => SignedRefill::Greedy,
        ("interval", None) => SignedRefill::Interval,
        ("aligned", Some(first_refill)) => SignedRefill::Aligned { first_refill },
        ("adaptive", Some(first_refill)) => SignedRefill::Adaptive { first_refill },
        _ => {
            return Err(PyValueError::new_err(format!(
                "no refill is called {refill}"
            )));
        }
    };
    let numbers = SignedBandwidth {
        capacity: capacity.into(),
        tokens: tokens.into(),
        period: period.into(),
        refill,
        initial_tokens: initial_tokens.map(Into::into),
    };
    PyBandwidth::built(py, numbers, id)
}
