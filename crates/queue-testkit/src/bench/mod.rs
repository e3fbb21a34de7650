//! The fixture of a case: one store under a manual clock, and helpers for what cases do with it.
//!
//! A helper expects the store to answer; an error where the contract has none fails the case.

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

/// The imports of all files of cases.
pub(crate) mod prelude {
    pub(crate) use super::{Bench, changes::*, claims::ids_of, hostile::*, values::*};
}
