//! What the author of a store writes: how to make an empty store, and how to open it again.

mod callers_transaction;
mod embedded_harness;
mod facility;
mod place;
mod store_harness;

pub use callers_transaction::CallersTransaction;
pub use embedded_harness::EmbeddedHarness;
pub use facility::Facility;
pub use place::{Failure, Place};
pub use store_harness::Harness;
