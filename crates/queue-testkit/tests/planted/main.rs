//! The conformance suite on stores with one deliberate defect each: a suite that none of them
//! passes means something.
//!
//! As an ordinary test, each defect meets the groups that concern it, and must fail a case that
//! cites an invariant which it violates. `cargo xtask planted` (here `-- --table`) tries the whole
//! suite on each and prints which case found it; names after `--table` limit the run to those
//! defects.

mod defect;
mod finding;
mod harness;
mod store;
mod table;

use defect::Defect;
use finding::{Finding, failures};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{env, panic, process::ExitCode};

fn main() -> ExitCode {
    // Cases fail here by the hundred, as they should; the outcome of a trial has its message.
    panic::set_hook(Box::new(|_| {}));
    if let Some(table) = env::args().position(|argument| argument == "--table") {
        return table::print(&env::args().skip(table + 1).collect::<Vec<_>>());
    }
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, trials()).exit_code()
}

fn trials() -> Vec<Trial> {
    let healthy = Trial::test("without_a_defect_the_store_passes", the_healthy_store_passes);
    let planted = |defect: &Defect| {
        let defect = *defect;
        Trial::test(format!("{defect:?}_is_caught"), move || is_caught(defect))
    };
    std::iter::once(healthy).chain(Defect::ALL.iter().map(planted)).collect()
}

fn the_healthy_store_passes() -> Result<(), Failed> {
    match failures(None, &[])? {
        failed if failed.is_empty() => Ok(()),
        failed => Err(format!("{failed:#?}").into()),
    }
}

fn is_caught(defect: Defect) -> Result<(), Failed> {
    let finding = Finding::of(defect, defect.groups())?;
    match finding.caught_by() {
        Some(_) => Ok(()),
        None => Err(format!("{defect}: no case about {:?} failed, of {finding:#?}", defect.breaks()).into()),
    }
}
