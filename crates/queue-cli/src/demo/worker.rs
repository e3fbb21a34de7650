//! The hidden command `queue demo-worker`: a worker process that hashes documents and logs each
//! attempt.

use super::{
    LEASE,
    document::Document,
    logbook::{Logbook, Step},
};
use crate::{
    exit::{CliError, Exit},
    output,
    session::{Jobs, Missing, Session},
    signals::StopSignals,
};
use clap::Args;
use queue::worker::{Context, JobError, Router, Worker, WorkerEvent};
use queue::{RetryPolicy, WorkerId};
use serde_json::Value;
use std::{path::PathBuf, pin::pin, time::Duration};

/// How many jobs a worker process runs at once.
const CONCURRENCY: usize = 4;
/// What a job waits for, as if its document came from a slow disk: it sets the pace of the demo.
const PAUSE: Duration = Duration::from_millis(22);
/// How often a worker that has enough to do looks for jobs of dead ones all the same.
const RESCUE: Duration = Duration::from_millis(500);
/// How long a failed attempt waits.
const RETRY: Duration = Duration::from_millis(250);

#[derive(Debug, Args)]
pub(crate) struct DemoWorkerArgs {
    /// The name under which it holds leases
    #[arg(long)]
    id: WorkerId,
    /// Where it writes down what it does
    #[arg(long)]
    log: PathBuf,
}

/// The body of a worker process. It ends when the queue is empty.
pub(crate) async fn run(args: DemoWorkerArgs, session: &Session) -> Result<Exit, CliError> {
    let mut signals = StopSignals::listen()?;
    let logbook = Logbook::create(&args.log)?;
    session.with_jobs(Missing::Refuse, async |jobs| work(args.id, logbook, jobs, &mut signals).await).await
}

async fn work(id: WorkerId, log: Logbook, jobs: &Jobs, signals: &mut StopSignals) -> Result<Exit, CliError> {
    let router =
        Router::new(log).fallback(|payload: Value, context: Context<Logbook>| hash(payload, context));
    let worker = Worker::builder(jobs.storage().clone(), jobs.name().clone(), router)
        .id(id)
        .concurrency(CONCURRENCY)
        .prefetch(0)
        .lease(LEASE)
        .rescue_interval(RESCUE)
        .retry(RetryPolicy::Fixed(RETRY))
        .until_empty()
        .on_event(complain)
        .build()?;
    let stop = worker.stop_token();
    let mut running = pin!(worker.run());
    loop {
        tokio::select! {
            _report = &mut running => return Ok(Exit::Ok),
            () = signals.next() => stop.cancel(),
        }
    }
}

/// The work of one job: its document is generated and hashed.
async fn hash(payload: Value, context: Context<Logbook>) -> Result<String, JobError> {
    let document = Document::of_payload(&payload)
        .ok_or_else(|| JobError::named("NoDocument", "the payload names no document").as_terminal())?;
    let (log, job) = (context.state(), context.meta());
    log.write(Step::Start, job)?;
    tokio::time::sleep(PAUSE).await;
    if document.is_flaky() && context.attempt() == 1 {
        log.write(Step::Fail, job)?;
        return Err(JobError::named("Flaky", "this document fails its first attempt, on purpose"));
    }
    let digest = document.digest();
    log.write(Step::End, job)?;
    Ok(digest)
}

fn complain(event: &WorkerEvent) {
    match event {
        WorkerEvent::Error(error) => output::note(format!("the store refused: {error}")),
        WorkerEvent::LeaseLost { id, .. } => output::note(format!("lost the lease of {id}")),
        WorkerEvent::Abandoned { id, .. } => output::note(format!("could not store the outcome of {id}")),
        _ => {}
    }
}
