//! What a shell and its manual need.

pub(crate) mod completions;
pub(crate) mod man;
