//! The whole suite against each defect, as a Markdown table.

use crate::{
    defect::Defect,
    finding::{Finding, failures},
};
use queue_testkit::{CaseReport, Failure};
use std::process::ExitCode;

/// The groups of trials that are not hand-written cases: each has a column, which shows whether it
/// finds a defect on its own.
const KINDS: [&str; 3] = ["matrix", "differential", "history"];

/// Prints the table, for the defects with these names or for all. It fails if the store without a
/// defect fails, or if a defect survives.
pub(crate) fn print(names: &[String]) -> ExitCode {
    match rows(names) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(survivors) => {
            eprintln!("{survivors} of {} defects survived", Defect::ALL.len());
            ExitCode::FAILURE
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn rows(names: &[String]) -> Result<usize, Failure> {
    if let Some(report) = failures(None, &[])?.first() {
        return Err(format!("without a defect the store fails {}: {:?}", report.name, report.outcome).into());
    }
    let kinds = KINDS.map(|kind| format!(" {kind} |")).concat();
    println!("| defect | caught by | which checks | cases |{kinds}");
    println!("|---|---|---|---:|{}", "---:|".repeat(KINDS.len()));
    let mut survivors = 0;
    let is_asked_for = |defect: &&Defect| names.is_empty() || names.contains(&format!("{defect:?}"));
    for &defect in Defect::ALL.iter().filter(is_asked_for) {
        let finding = Finding::of(defect, &[])?;
        println!("{}", row(&finding));
        survivors += usize::from(finding.caught_by().is_none());
    }
    Ok(survivors)
}

fn row(finding: &Finding) -> String {
    let defect = finding.defect;
    let of_kinds = KINDS.map(|kind| finding.failures_of(kind));
    let cases = finding.failures() - of_kinds.iter().sum::<usize>();
    let of_kinds = of_kinds.map(|failures| format!(" {failures} |")).concat();
    match finding.caught_by() {
        Some(report) => format!("| {defect} | `{}` | {} | {cases} |{of_kinds}", report.name, cited(report)),
        None => format!("| {defect} | **nothing** | | {cases} |{of_kinds}"),
    }
}

fn cited(report: &CaseReport) -> String {
    let shown: Vec<String> = report.invariants.iter().map(ToString::to_string).collect();
    shown.join(" ")
}
