//! Keys of a keyed limiter: strings, bytes, integers, and tuples of these.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString, PyTuple};

/// A key that is kept. Keys of different types differ, as `"1"`, `b"1"` and `1` do in Python.
#[derive(Clone, PartialEq, Eq, Hash, IntoPyObjectRef)]
pub(crate) enum Key {
    Text(String),
    Bytes(Vec<u8>),
    Integer(i128),
    Several(Vec<Key>),
}

/// A key as it is looked up, without a copy.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum View<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
    Integer(i128),
    Several(&'a [Key]),
}

/// What has a view: the bridge from a kept key to one that is looked up.
pub(crate) trait Viewed {
    fn view(&self) -> View<'_>;
}

impl Viewed for View<'_> {
    fn view(&self) -> View<'_> {
        match self {
            Self::Text(text) => View::Text(text),
            Self::Bytes(bytes) => View::Bytes(bytes),
            Self::Integer(integer) => View::Integer(*integer),
            Self::Several(keys) => View::Several(keys),
        }
    }
}

impl Viewed for Key {
    fn view(&self) -> View<'_> {
        match self {
            Self::Text(text) => View::Text(text),
            Self::Bytes(bytes) => View::Bytes(bytes),
            Self::Integer(integer) => View::Integer(*integer),
            Self::Several(keys) => View::Several(keys),
        }
    }
}

impl Hash for dyn Viewed + '_ {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.view().hash(state);
    }
}

impl PartialEq for dyn Viewed + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl Eq for dyn Viewed + '_ {}

impl<'a> Borrow<dyn Viewed + 'a> for Key {
    fn borrow(&self) -> &(dyn Viewed + 'a) {
        self
    }
}

impl ToOwned for dyn Viewed + '_ {
    type Owned = Key;

    fn to_owned(&self) -> Key {
        match self.view() {
            View::Text(text) => Key::Text(text.to_owned()),
            View::Bytes(bytes) => Key::Bytes(bytes.to_owned()),
            View::Integer(integer) => Key::Integer(integer),
            View::Several(keys) => Key::Several(keys.to_owned()),
        }
    }
}

/// Calls `run` with the view of a Python object.
#[inline]
pub(crate) fn with_view<R>(
    key: &Bound<'_, PyAny>,
    run: impl FnOnce(&(dyn Viewed + '_)) -> R,
) -> PyResult<R> {
    if let Ok(text) = key.cast::<PyString>() {
        // Borrowed: Python keeps the UTF-8 of a string.
        return Ok(run(&View::Text(text.to_str()?)));
    }
    let key: Key = key.extract()?;
    Ok(run(&key))
}

impl<'py> FromPyObject<'_, 'py> for Key {
    type Error = PyErr;

    fn extract(key: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = key.cast::<PyString>() {
            Ok(Self::Text(text.to_str()?.to_owned()))
        } else if let Ok(bytes) = key.cast::<PyBytes>() {
            Ok(Self::Bytes(bytes.as_bytes().to_owned()))
        } else if key.is_instance_of::<PyInt>() {
            key.extract().map(Self::Integer)
        } else if let Ok(keys) = key.cast::<PyTuple>() {
            keys.iter_borrowed()
                .map(|key| key.extract())
                .collect::<PyResult<_>>()
                .map(Self::Several)
        } else {
            Err(PyTypeError::new_err(format!(
                "key: a str, bytes, int or a tuple of these is needed, not {}",
                key.get_type().name()?
            )))
        }
    }
}
