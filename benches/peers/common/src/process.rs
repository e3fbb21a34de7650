//! One process, one measurement.

use std::process::ExitCode;

use anyhow::Result;
use tokio::runtime::Builder;

use crate::handler;
use crate::peer::{NotOffered, Peer};
use crate::report::Report;
use crate::setup::Setup;
use crate::workload;

/// Measures what the command line says, prints the report, and ends the process. Workers that still
/// run end with it.
pub fn main<P: Peer>() -> ExitCode {
    handler::prepare();
    let setup = match Setup::from_arguments() {
        Ok(setup) => setup,
        Err(error) => {
            eprintln!("{error:#}");
            return ExitCode::FAILURE;
        }
    };
    let runtime = Builder::new_multi_thread().enable_all().build().expect("threads can be made");
    let report = runtime.block_on(measure::<P>(&setup)).unwrap_or_else(report_of_error);
    println!("{}", serde_json::to_string(&report).expect("a report is JSON"));
    // Workers may hold threads of their own that nothing asks to end.
    std::process::exit(0)
}

async fn measure<P: Peer>(setup: &Setup) -> Result<Report> {
    let peer = P::open(setup).await?;
    let measured = workload::measure(&peer, setup).await;
    let mut report = measured.unwrap_or_else(report_of_error);
    report.settings = peer.settings(setup.profile);
    if handler::repeated() > 0 {
        report.note(format!("{} jobs were handled twice", handler::repeated()));
    }
    if let Some(ended) = handler::worker_ended() {
        report.note(format!("the worker ended: {ended}"));
    }
    // Dropping a client may wait for its server, which is not part of the measurement.
    std::mem::forget(peer);
    Ok(report)
}

fn report_of_error(error: anyhow::Error) -> Report {
    if error.is::<NotOffered>() {
        return Report { not_offered: true, ..Report::default() };
    }
    Report { error: Some(format!("{error:#}")), ..Report::default() }
}
