//! Shared parts of this package's tests and programs: a directory for each test, the command run in
//! it, processes that never outlive their test, one way to wait, and measurements of long runs.

#![expect(clippy::missing_panics_doc, reason = "everything here fails its test by a panic")]

mod cpu;
mod latencies;
mod patience;
mod place;
mod process;
mod ran;
mod resident;
mod terminal;

pub use cpu::cpu_time;
pub use latencies::Latencies;
pub use patience::until;
pub use place::Place;
pub use process::Process;
pub use ran::Ran;
pub use resident::resident_bytes;
pub use terminal::Terminal;
