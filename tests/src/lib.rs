//! Shared parts of this package's tests and programs: a directory for each test, the command run in
//! it, processes that never outlive their test, one way to wait, and measurements of long runs.

#![expect(clippy::missing_panics_doc, reason = "everything here fails its test by a panic")]

mod command_directory;
mod command_run;
mod cpu;
mod heeded_signals;
mod http_hop;
mod latencies;
mod patience;
mod process;
mod resident;
mod screen_cells;
mod served;
mod terminal;
mod terminal_screen;

pub use command_directory::CommandDirectory;
pub use command_run::CommandRun;
pub use cpu::{cpu_time, cpu_time_with_children};
pub use http_hop::{WholeRequest, foreign_answer};
pub use latencies::Latencies;
pub use patience::until;
pub use process::Process;
pub use resident::resident_bytes;
pub use served::Served;
pub use terminal::Terminal;
pub use terminal_screen::TerminalScreen;
