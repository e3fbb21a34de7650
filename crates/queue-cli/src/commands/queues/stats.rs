//! The command `queue stats`: the number of jobs in each state, the pause, and the workers of a
//! queue.

use super::{pauses, series};
use crate::{
    commands::watch::WatchArgs,
    exit::{CliError, Exit},
    output::{self, Chart, Column, Output, Text, age},
    session::{Jobs, Missing, Session},
};
use clap::Args;
use queue::{
    Counts, QueueName, SeriesReading, Timestamp,
    queue_core::{Moment, Pause, QueueStatus, StorageExt, WorkerInfo},
    view::{AboutWorker, QueueView, Standing, WorkView, WorkerView, words::millis},
};
use serde_json::{Value, json};
use std::time::Duration;

/// A shorter lead of store time is not worth reporting.
const LEAD_TOLD: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(after_help = "\
Exits with 3 if there is no such queue: one that has no job and no worker and is not paused. A failing job is counted as due or scheduled too. With --watch the command waits for it, and also shows what workers did in the last hour: rates, wait and run times, and a chart of each. With --json this is always in the answer, minute by minute.")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    watch: WatchArgs,
}

/// All facts about a queue that need no look at single jobs.
#[derive(Debug)]
struct Stats {
    status: QueueStatus,
    workers: Vec<WorkerInfo>,
    /// The last hour, as workers counted it.
    series: Option<SeriesReading>,
}

pub(crate) async fn run(args: StatsArgs, session: &Session) -> Result<Exit, CliError> {
    session
        .with_jobs_or_service(Missing::Refuse, async |jobs| {
            let look = async |out| show(&args, jobs, session, out).await;
            args.watch.run(session.out, look).await
        })
        .await
}

async fn show(args: &StatsArgs, jobs: &Jobs, session: &Session, out: Output) -> Result<(), CliError> {
    let found = match jobs.storage().status_of(jobs.name()).await? {
        Some(status) => status,
        None => unlisted(jobs.name().clone(), jobs.counts().await?),
    };
    let workers = workers(jobs).await?;
    let stats = Stats { status: found, workers, series: series::last_hour(jobs).await? };
    if stats.is_nothing() && !args.watch.is_on() {
        let name = &session.name;
        let message = format!(
            "there is no queue {name:?} in this store: it has no job and no worker, and is not paused"
        );
        return Err(CliError::new(Exit::NotFound, message));
    }
    let chart = args.watch.is_on().then(Output::chart);
    out.answer(|| words(&stats, chart), || object(&stats))?;
    Ok(())
}

impl Stats {
    fn is_nothing(&self) -> bool {
        let QueueStatus { counts, pause, paused_kinds, .. } = &self.status;
        counts.total() == 0 && !pause.is_on() && paused_kinds.is_empty() && self.workers.is_empty()
    }
}

/// A queue that the store does not list: nothing of it is paused.
fn unlisted(name: QueueName, counts: Counts) -> QueueStatus {
    QueueStatus { name, pause: Pause::Off, paused_kinds: Vec::new(), counts }
}

/// The announced workers of this queue; none if the store has no presence.
async fn workers(jobs: &Jobs) -> Result<Vec<WorkerInfo>, CliError> {
    if !jobs.storage().capabilities().presence {
        return Ok(Vec::new());
    }
    let mut workers = jobs.storage().workers().await?;
    workers.retain(|worker| worker.queues.contains(jobs.name()));
    Ok(workers)
}

/// The answer for people; with how to draw charts, the work of the last hour too.
fn words(stats: &Stats, chart: Option<Chart>) -> Text {
    let Stats { status: QueueStatus { counts, pause, paused_kinds, .. }, workers, series } = stats;
    let counted = Standing::TABS.iter().filter_map(|tab| Some((tab.as_str(), tab.counted(counts)?)));
    let all = counted.chain([("total", counts.total())]);
    let rows = all.map(|(word, jobs)| vec![word.to_owned(), jobs.to_string()]);
    let mut text = Text::from(output::table(["STATE", "JOBS"], rows));
    for sentence in pauses::sentences(*pause, paused_kinds) {
        text = text.and_apart(sentence);
    }
    if let Some(oldest_due) = counts.oldest_due {
        text = text.and_apart(format!("The oldest due job waits for {}.", age(counts.now.since(oldest_due))));
    }
    if let Some(lead) = lead(counts.moment()) {
        text = text.and_apart(lead);
    }
    if let Some(work) = series.as_ref().zip(chart).and_then(|(series, chart)| series::table(series, chart)) {
        text = text.and_apart(work);
    }
    if !workers.is_empty() {
        let columns = [
            Column::text("WORKER"),
            Column::whole("HOLDS"),
            Column::whole("UP").plain(""),
            Column::text("WHERE"),
        ];
        text = text.and_apart(output::table(columns, workers.iter().map(|worker| row(worker, counts.now))));
    }
    text
}

/// Store time that is ahead, after a clock was ahead.
fn lead(moment: Moment) -> Option<String> {
    let (lead, lasts) = (moment.lead(), moment.lead_lasts());
    (lead >= LEAD_TOLD).then(|| {
        format!(
            "Store time is {} ahead of the clock, since the clock was ahead once. Delays and leases are not affected; the lead will be gone in {}.",
            age(lead),
            age(lasts)
        )
    })
}

fn row(worker: &WorkerInfo, now: Timestamp) -> Vec<String> {
    let holds = format!("{} of {}", worker.held, worker.concurrency);
    let started_at = AboutWorker::read(&worker.about).and_then(|about| about.started_at);
    let up = started_at.map(|start| age(now.since(start))).unwrap_or_default();
    vec![worker.id.to_string(), holds, up, worker.host.clone()]
}

/// The document of the queue, with what else the command shows.
fn object(Stats { status, workers, series }: &Stats) -> Value {
    let now = status.counts.now;
    let lead = status.counts.moment();
    let workers: Vec<WorkerView> = workers.iter().map(|worker| WorkerView::of(worker, now)).collect();
    let mut object = json!(QueueView::of(status));
    object["clock_lead_ms"] = json!(millis(lead.lead()));
    object["clock_lead_lasts_ms"] = json!(millis(lead.lead_lasts()));
    object["workers"] = json!(workers);
    object["per_minute"] = json!(series.as_ref().map(series::rates));
    object["last_hour"] = json!(series.as_ref().map(WorkView::of));
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(lead_ms: i64) -> Stats {
        let clock = Timestamp::from_millis(1_767_225_600_000);
        let now = Timestamp::from_millis(clock.as_millis() + lead_ms);
        let status = unlisted(QueueName::from_static("q"), Counts::empty(Moment { now, clock }));
        Stats { status, workers: Vec::new(), series: None }
    }

    fn shown(stats: &Stats) -> String {
        format!("{:?}", words(stats, None))
    }

    #[test]
    fn a_clock_that_was_ahead_is_told_with_the_end_of_it() {
        let told = shown(&stats(60_000));
        assert!(
            told.contains("Store time is 1 min ahead of the clock") && told.contains("gone in 1 h 4 min"),
            "{told}"
        );
        assert!(!shown(&stats(999)).contains("ahead"), "nobody needs to know of less than a second");
    }
}
