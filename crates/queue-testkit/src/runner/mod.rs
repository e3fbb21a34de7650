//! From cases to outcomes: what this store supports, one trial per case and the snapshot, or all of it as data.

mod collect;
mod probe;
mod report;
mod selection;
mod snapshot;
mod trial;

pub use collect::collect;
pub(crate) use trial::HANG_AFTER;

pub use report::{CaseOutcome, CaseReport};
pub use selection::Selection;

use crate::{Harness, cases::all};
use libtest_mimic::{Arguments, Trial};
use std::{process::ExitCode, sync::Arc};

/// Runs the suite on the stores of a harness, as a test binary: each case is a trial with the usual arguments (filters,
/// `--exact`, `--skip`, `--list`, `--ignored`, `--test-threads`).
///
/// Each trial has a place, a manual clock and a runtime of its own. At its end the records, counts and indexes of the
/// store are compared. A trial that does not end is ended after a minute or two and fails. Cases that the store's
/// capabilities or the harness rule out are listed as ignored.
///
/// `name` is for people. The exit code is that of `cargo test`; a store that cannot be opened is a failure.
pub fn run(name: &str, harness: impl Harness) -> ExitCode {
    let arguments = Arguments::from_args();
    let harness: Arc<dyn Harness> = Arc::new(harness);
    let trials = match trials(&harness) {
        Ok(trials) => trials,
        Err(failure) => {
            eprintln!("{name}: the store could not be opened, so nothing was checked: {failure}");
            return ExitCode::FAILURE;
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(harness: &Arc<dyn Harness>) -> Result<Vec<Trial>, String> {
    let support = probe::probe(harness)?;
    let cases: Vec<_> = all().map(|case| (case, trial::lacking(case, &support))).collect();
    let mut trials: Vec<Trial> =
        cases.iter().map(|(case, lacking)| trial::of_case(case, *lacking, harness.clone())).collect();
    trials.extend(harness.snapshot().map(|path| snapshot::trial(path, &cases)));
    Ok(trials)
}
