//! The whole suite against each defect, as a Markdown table.

use crate::{
    defect::Defect,
    finding::{Finding, failures},
};
use queue_testkit::{CaseReport, Failure};
use std::process::ExitCode;

/// Prints the table. It fails if the store without a defect does, or if a defect survives.
pub(crate) fn print() -> ExitCode {
    match rows() {
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

fn rows() -> Result<usize, Failure> {
    if let Some(report) = failures(None, &[])?.first() {
        return Err(format!("without a defect the store fails {}: {:?}", report.name, report.outcome).into());
    }
    println!("| defect | caught by | which checks | cases that fail |");
    println!("|---|---|---|---:|");
    let mut survivors = 0;
    for &defect in Defect::ALL {
        let finding = Finding::of(defect, &[])?;
        println!("{}", row(&finding));
        survivors += usize::from(finding.caught_by().is_none());
    }
    Ok(survivors)
}

fn row(finding: &Finding) -> String {
    let (defect, failures) = (finding.defect, finding.failures());
    match finding.caught_by() {
        Some(report) => format!("| {defect} | `{}` | {} | {failures} |", report.name, cited(report)),
        None => format!("| {defect} | **nothing** | | {failures} |"),
    }
}

fn cited(report: &CaseReport) -> String {
    let shown: Vec<String> = report.invariants.iter().map(ToString::to_string).collect();
    shown.join(" ")
}
