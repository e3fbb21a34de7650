//! Runs the cases that a store supports, one trial per case, and compares the snapshot; or returns
//! the outcomes as data.

mod collect;
mod filters;
mod patience;
mod probe;
mod report;
mod selection;
mod shard;
mod snapshot;
mod trial;
mod unchecked;

pub use collect::collect;
pub(crate) use patience::HANG_AFTER;

pub use report::{CaseOutcome, CaseReport};
pub use selection::Selection;

use crate::{Harness, cases::all};
use filters::CommandLine;
use libtest_mimic::Trial;
use patience::Patience;
use shard::Shard;
use std::{env, process::ExitCode, sync::Arc};

/// Runs the suite on the stores of a harness, as a test binary: each case is a trial with the usual
/// arguments (one or more filters, `--exact`, `--skip`, `--list`, `--test-threads`).
///
/// Each trial has its own place, manual clock and runtime. At its end the records, counts and
/// indexes of the store are compared. A trial that hangs is ended after a minute or two and fails
/// with the calls that it waited for. Cases that the store's capabilities or the harness rule out
/// are ignored; a note on standard error says first what would make them run.
///
/// `QUEUE_TESTKIT_SHARD=2/3` runs the second of three parts that together are the suite.
///
/// `name` appears in messages. The exit code is that of `cargo test`; a store that cannot be opened
/// is a failure.
pub fn run(name: &str, harness: impl Harness) -> ExitCode {
    let command_line = CommandLine::parse(env::args());
    let harness: Arc<dyn Harness> = Arc::new(harness);
    let (unchecked, trials) = match trials(name, &harness) {
        Ok(both) => both,
        Err(failure) => {
            eprintln!("{name}: the store could not be opened, so nothing was checked: {failure}");
            return ExitCode::FAILURE;
        }
    };
    if !command_line.arguments.list {
        eprint!("{unchecked}");
    }
    libtest_mimic::run(&command_line.arguments, command_line.select(trials)).exit_code()
}

/// The note about what is not checked, and the trials.
fn trials(name: &str, harness: &Arc<dyn Harness>) -> Result<(String, Vec<Trial>), String> {
    let support = probe::probe(harness)?;
    let cases: Vec<_> = all().map(|case| (case, trial::lacking(case, &support))).collect();
    let patience = Arc::new(Patience::new(HANG_AFTER));
    let trial = |(case, lacking)| trial::of_case(case, lacking, harness.clone(), patience.clone());
    let shard = Shard::asked_for();
    let of_shard = cases.iter().enumerate().filter(|(place, _)| shard.has(*place));
    let mut trials: Vec<Trial> = of_shard.map(|(_, case)| trial(*case)).collect();
    trials.extend(harness.snapshot().map(|path| snapshot::trial(path, &cases)));
    let part = shard.described().map(|part| format!("{name}: {part}\n")).unwrap_or_default();
    Ok((part + &unchecked::describe(name, &cases), trials))
}
