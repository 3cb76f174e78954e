//! What `tokenweir.http` has.

pub(crate) mod address;
pub(crate) mod limits;
pub(crate) mod policy;
pub(crate) mod quota;
pub(crate) mod received;
pub(crate) mod reply;
