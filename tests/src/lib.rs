//! What the tests of this package share: a place of its own for each test, the command run in it, processes that never
//! outlive their test, and one way to wait.

#![expect(clippy::missing_panics_doc, reason = "everything here fails its test by a panic")]

mod patience;
mod place;
mod process;
mod ran;

pub use patience::until;
pub use place::Place;
pub use process::Process;
pub use ran::Ran;
