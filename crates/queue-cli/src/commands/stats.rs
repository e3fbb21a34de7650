use crate::{
    exit::{CliError, Exit},
    output::{self, age},
    session::{Jobs, Missing, Session},
};
use queue::{Counts, State, queue_core::WorkerInfo};
use serde_json::{Map, Value, json};

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
    if !workers.is_empty() {
        parts.push(output::table(&["WORKER", "HOLDS", "WHERE"], workers.iter().map(row)));
    }
    parts.join("\n\n")
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
    let waits =
        counts.oldest_due.map(|due| u64::try_from(counts.now.since(due).as_millis()).unwrap_or(u64::MAX));
    object.insert("oldest_due_age_ms".to_owned(), json!(waits));
    object.insert("workers".to_owned(), workers.iter().map(worker).collect());
    object.into()
}

fn worker(worker: &WorkerInfo) -> Value {
    json!({
        "id": worker.id.as_str(),
        "concurrency": worker.concurrency,
        "running": worker.running,
        "host": worker.host,
    })
}
