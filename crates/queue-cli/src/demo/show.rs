//! The course of the demo: enqueues the jobs, starts the workers, kills one, and audits the
//! outcome.

use super::{
    DemoArgs,
    audit::{Audit, Found, Story, audit},
    display::Display,
    document::Document,
    fleet::Fleet,
    ledger::Ledger,
    logbook::LogReader,
    place::Place,
    watch::watch,
};
use crate::{exit::CliError, output::Output};
use queue::{CodecContext, Decode, JobId, JobOptions, Kind, Role, State, queue_core::StorageExt};
use std::{collections::HashMap, io};
use tokio::time::Instant;

/// Jobs sent and records read in one call.
const BATCH_MAX: usize = 500;

/// The whole demo, up to the verdict.
pub(super) async fn run(args: &DemoArgs, place: &Place, out: Output) -> Result<Audit, CliError> {
    let display = Display::new(u64::from(args.jobs), out.format());
    let begun = Instant::now();
    let accepted = enqueue(args.jobs, place).await?;
    display.say(&format!("stored {} jobs in {:.1} s", accepted.len(), begun.elapsed().as_secs_f64()));

    let workers = args.workers as usize;
    let working = Instant::now();
    let mut fleet = Fleet::start(workers, place)?;
    let pids: Vec<String> = fleet.workers().iter().map(|worker| worker.pid.to_string()).collect();
    display.say(&format!("started {workers} worker processes: {}", pids.join(", ")));
    let logs = (0..workers).map(|worker| LogReader::open(&place.log(worker))).collect::<io::Result<_>>()?;
    let mut ledger = Ledger::new(logs);
    let victim = watch(&mut fleet, &mut ledger, place, &display).await?;
    let took = working.elapsed();

    display
        .say("comparing the store with the logs of the workers, and each result with a direct computation");
    let found = read_all(&accepted, place).await?;
    let story = Story { accepted: &accepted, found: &found, runs: ledger.runs(), victim, took };
    Ok(audit(story))
}

/// Stores the jobs, and answers those that the store acknowledged.
async fn enqueue(count: u32, place: &Place) -> Result<Vec<Document>, CliError> {
    let of_kind = place.jobs.of_kind(Kind::from_static("hash"));
    let documents: Vec<Document> = Document::all(count).collect();
    let mut accepted = Vec::with_capacity(documents.len());
    for part in documents.chunks(BATCH_MAX) {
        let jobs = part.iter().map(|document| (document.id(), document.payload()));
        let answers = of_kind.enqueue_many(jobs, JobOptions::new()).await?;
        let new = part.iter().zip(&answers).filter(|(_, answer)| answer.is_new());
        accepted.extend(new.map(|(document, _)| *document));
    }
    Ok(accepted)
}

/// Every record as the store has it in the end; what it does not have is left out.
async fn read_all(accepted: &[Document], place: &Place) -> Result<HashMap<String, Found>, CliError> {
    let mut found = HashMap::with_capacity(accepted.len());
    for part in accepted.chunks(BATCH_MAX) {
        let ids: Vec<JobId> =
            part.iter().map(|document| JobId::new(document.id())).collect::<Result<_, _>>()?;
        let records = place.jobs.storage().get_whole(place.jobs.name(), &ids).await?.value;
        for record in records.into_iter().flatten() {
            let context = CodecContext::of(&record.meta, Role::Result);
            let read = |result| String::decode(result, &**place.jobs.codec(), &context).ok();
            let result = record.result().and_then(read);
            let is_completed = record.meta.state == State::Completed;
            let found_now = Found { is_completed, stalls: record.meta.stalls, result };
            found.insert(record.meta.id.to_string(), found_now);
        }
    }
    Ok(found)
}
