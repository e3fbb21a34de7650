//! The HTTP service, and its tokens.

pub(crate) mod serve;
pub(crate) mod token;
