use crate::{
    exit::{CliError, Exit},
    output::{self, age},
    session::{Jobs, Missing, Session},
};
use queue::{
    Counts, State,
    queue_core::{Moment, WorkerInfo},
};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A shorter lead of store time is nothing to tell people of.
const LEAD_TOLD: Duration = Duration::from_secs(1);

pub(super) async fn run(session: &Session) -> Result<Exit, CliError> {
    let (counts, workers) = session
        .with_jobs(Missing::Refuse, async |jobs| Ok((jobs.counts().await?, workers(jobs).await?)))
        .await?;
    session.out.answer(|| words(&counts, &workers), || object(session, &counts, &workers))?;
    Ok(Exit::Ok)
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

fn words(counts: &Counts, workers: &[WorkerInfo]) -> String {
    let mut rows: Vec<Vec<String>> =
        State::ALL.iter().map(|state| vec![state.to_string(), counts.of(*state).to_string()]).collect();
    rows.push(vec!["total".to_owned(), counts.total().to_string()]);
    rows.push(vec!["(due later)".to_owned(), counts.scheduled.to_string()]);
    let mut parts = vec![output::table(&["STATE", "JOBS"], rows)];
    if let Some(oldest_due) = counts.oldest_due {
        parts.push(format!("The oldest due job waits for {}.", age(counts.now.since(oldest_due))));
    }
    parts.extend(lead(counts.moment()));
    if !workers.is_empty() {
        parts.push(output::table(&["WORKER", "HOLDS", "WHERE"], workers.iter().map(row)));
    }
    parts.join("\n\n")
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

fn object(session: &Session, counts: &Counts, workers: &[WorkerInfo]) -> Value {
    let mut object = Map::new();
    object.insert("queue".to_owned(), json!(session.name.as_str()));
    object.extend(State::ALL.map(|state| (state.as_str().to_owned(), json!(counts.of(state)))));
    object.insert("total".to_owned(), json!(counts.total()));
    object.insert("scheduled".to_owned(), json!(counts.scheduled));
    let waits = counts.oldest_due.map(|due| millis(counts.now.since(due)));
    object.insert("oldest_due_age_ms".to_owned(), json!(waits));
    let lead = counts.moment();
    object.insert("clock_lead_ms".to_owned(), json!(millis(lead.lead())));
    object.insert("clock_lead_lasts_ms".to_owned(), json!(millis(lead.lead_lasts())));
    object.insert("workers".to_owned(), workers.iter().map(worker).collect());
    object.into()
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue::queue_core::Timestamp;

    fn counts(lead_ms: i64) -> Counts {
        let clock = Timestamp::from_millis(1_767_225_600_000);
        let now = Timestamp::from_millis(clock.as_millis() + lead_ms);
        Counts::empty(Moment { now, clock })
    }

    #[test]
    fn a_clock_that_was_ahead_is_told_with_the_end_of_it() {
        let told = words(&counts(60_000), &[]);
        assert!(
            told.contains("Store time is 1m ahead of the clock") && told.contains("gone in 1h 4m"),
            "{told}"
        );
        assert!(!words(&counts(999), &[]).contains("ahead"), "nobody needs to know of less than a second");
    }
}
