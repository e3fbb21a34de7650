//! The fixture of a case: one store under a manual clock, and short words for what cases do with
//! it.
//!
//! Every word expects the store to answer; an error where the contract has none fails the case.

mod changes;
mod claims;
mod ending;
mod fixture;
mod hostile;
mod jobs;
mod reads;
mod scenes;
mod values;

pub(crate) use fixture::Bench;

/// What the files of cases import whole.
pub(crate) mod prelude {
    pub(crate) use super::{Bench, changes::*, claims::ids_of, hostile::*, values::*};
}
