//! The command `queue stats`: the number of jobs in each state, the pause, and the workers of a
//! queue.

use super::watch::WatchArgs;
use crate::{
    exit::{CliError, Exit},
    output::{self, Column, Output, Text, age},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    Counts, State,
    queue_core::{Duty, Moment, StorageExt, WorkerInfo},
};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A shorter lead of store time is nothing to tell people of.
const LEAD_TOLD: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(after_help = "\
Exits with 3 if there is no such queue: one that has no job and no worker and is not paused. With --watch it is waited for.")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    watch: WatchArgs,
}

/// Everything that is known of a queue without looking at single jobs.
#[derive(Debug)]
struct Stats {
    counts: Counts,
    is_paused: bool,
    workers: Vec<WorkerInfo>,
}

pub(crate) async fn run(args: StatsArgs, session: &Session) -> Result<Exit, CliError> {
    session
        .with_jobs(Missing::Refuse, async |jobs| {
            let look = async |out| show(&args, jobs, session, out).await;
            args.watch.run(session.out, look).await
        })
        .await
}

async fn show(args: &StatsArgs, jobs: &Jobs, session: &Session, out: Output) -> Result<(), CliError> {
    let (counts, is_paused) = match jobs.storage().status_of(jobs.name()).await? {
        Some(status) => (status.counts, status.paused),
        None => (jobs.counts().await?, false),
    };
    let stats = Stats { counts, is_paused, workers: workers(jobs).await? };
    if stats.is_nothing() && !args.watch.is_on() {
        let name = &session.name;
        let message = format!("there is no queue {name:?} in this store: no job, no worker, no pause");
        return Err(CliError::new(Exit::NotFound, message));
    }
    out.answer(|| words(&stats), || object(session, &stats))?;
    Ok(())
}

impl Stats {
    fn is_nothing(&self) -> bool {
        self.counts.total() == 0 && !self.is_paused && self.workers.is_empty()
    }
}

/// The workers of this queue that show themselves; none where the store keeps no presence.
async fn workers(jobs: &Jobs) -> Result<Vec<WorkerInfo>, CliError> {
    if !jobs.storage().capabilities().presence {
        return Ok(Vec::new());
    }
    let mut workers = jobs.storage().workers().await?;
    workers.retain(|worker| worker.queues.contains(jobs.name()));
    Ok(workers)
}

fn words(stats: &Stats) -> Text {
    let Stats { counts, is_paused, workers } = stats;
    let mut rows: Vec<Vec<String>> =
        State::ALL.iter().map(|state| vec![state.to_string(), counts.of(*state).to_string()]).collect();
    rows.push(vec!["total".to_owned(), counts.total().to_string()]);
    rows.push(vec!["(due later)".to_owned(), counts.scheduled.to_string()]);
    let mut text = Text::from(output::table(["STATE", "JOBS"], rows));
    if *is_paused {
        text = text.and_apart("The queue is paused: no worker gets a job until `queue resume`.");
    }
    if let Some(oldest_due) = counts.oldest_due {
        text = text.and_apart(format!("The oldest due job waits for {}.", age(counts.now.since(oldest_due))));
    }
    if let Some(lead) = lead(counts.moment()) {
        text = text.and_apart(lead);
    }
    if !workers.is_empty() {
        let columns = [Column::text("WORKER"), Column::whole("HOLDS"), Column::text("WHERE")];
        text = text.and_apart(output::table(columns, workers.iter().map(row)));
    }
    text
}

/// What a clock that was ahead has left behind.
fn lead(moment: Moment) -> Option<String> {
    let (lead, lasts) = (moment.lead(), moment.lead_lasts());
    (lead >= LEAD_TOLD).then(|| {
        format!(
            "Store time is {} ahead of the clock, which was ahead once. Delays and leases are right; the lead is gone in {}.",
            age(lead),
            age(lasts)
        )
    })
}

fn row(worker: &WorkerInfo) -> Vec<String> {
    let holds = format!("{} of {}", worker.running, worker.concurrency);
    vec![worker.id.to_string(), holds, worker.host.clone()]
}

fn object(session: &Session, stats: &Stats) -> Value {
    let Stats { counts, is_paused, workers } = stats;
    let mut object = Map::new();
    object.insert("queue".to_owned(), json!(session.name.as_str()));
    object.insert("paused".to_owned(), json!(is_paused));
    put_counts(&mut object, counts);
    let lead = counts.moment();
    object.insert("clock_lead_ms".to_owned(), json!(millis(lead.lead())));
    object.insert("clock_lead_lasts_ms".to_owned(), json!(millis(lead.lead_lasts())));
    object.insert("workers".to_owned(), workers.iter().map(worker).collect());
    object.into()
}

/// What `queue queues` says too.
pub(super) fn put_counts(object: &mut Map<String, Value>, counts: &Counts) {
    object.extend(State::ALL.map(|state| (state.as_str().to_owned(), json!(counts.of(state)))));
    object.insert("total".to_owned(), json!(counts.total()));
    object.insert("scheduled".to_owned(), json!(counts.scheduled));
    let waits = counts.oldest_due.map(|due| millis(counts.now.since(due)));
    object.insert("oldest_due_age_ms".to_owned(), json!(waits));
}

fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

fn worker(worker: &WorkerInfo) -> Value {
    json!({
        "id": worker.id.as_str(),
        "concurrency": worker.concurrency,
        "running": worker.running,
        "host": worker.host,
        "draining": worker.duty == Duty::Drain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue::queue_core::Timestamp;

    fn stats(lead_ms: i64) -> Stats {
        let clock = Timestamp::from_millis(1_767_225_600_000);
        let now = Timestamp::from_millis(clock.as_millis() + lead_ms);
        Stats { counts: Counts::empty(Moment { now, clock }), is_paused: false, workers: Vec::new() }
    }

    fn shown(stats: &Stats) -> String {
        format!("{:?}", words(stats))
    }

    #[test]
    fn a_clock_that_was_ahead_is_told_with_the_end_of_it() {
        let told = shown(&stats(60_000));
        assert!(
            told.contains("Store time is 1m ahead of the clock") && told.contains("gone in 1h 4m"),
            "{told}"
        );
        assert!(!shown(&stats(999)).contains("ahead"), "nobody needs to know of less than a second");
    }
}
