//! The loads over HTTP: many clients with a kept connection each.

use crate::{
    figures::{Figures, Seen, cpu_of, now},
    load::Load,
    request::{ClaimAnswer, HttpConnection},
    server::ServerProcess,
    store::ServedStore,
};
use std::{
    fmt::Write,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

/// Jobs of a request that stores jobs before the measurement.
const PRELOAD: usize = 1_000;

pub(crate) async fn measure(store: ServedStore, load: Load, lasts: Duration) -> anyhow::Result<Figures> {
    let folder = tempfile::tempdir()?;
    let server = ServerProcess::start(&store.url(folder.path()), folder.path()).await?;
    let queue = queue_name(load);
    preload(&server, &queue, store.preload(load)).await?;
    let (cpu, began) = (cpu_of(&server.id()), now());
    let mut callers = JoinSet::new();
    for caller in 0..load.callers() {
        let connection = HttpConnection::open(&server.address, &server.token).await?;
        callers.spawn(call(connection, load, queue.clone(), caller, began + lasts));
    }
    let mut seen = Seen::new();
    while let Some(caller) = callers.join_next().await {
        seen.add(&caller??);
    }
    Ok(seen.figures(began.elapsed(), cpu_of(&server.id()).saturating_sub(cpu)))
}

/// A queue that no other measurement has, also of a run before in the same database.
pub(crate) fn queue_name(load: Load) -> String {
    format!("bench-{}-{load:?}", std::process::id()).to_lowercase()
}

async fn preload(server: &ServerProcess, queue: &str, count: usize) -> anyhow::Result<()> {
    let mut connection = HttpConnection::open(&server.address, &server.token).await?;
    for first in (0..count).step_by(PRELOAD) {
        let body = jobs(usize::MAX >> 1, first, PRELOAD.min(count - first));
        connection.post(&format!("/v1/queues/{queue}/jobs"), &body).await?;
    }
    Ok(())
}

pub(crate) async fn call(
    mut connection: HttpConnection,
    load: Load,
    queue: String,
    caller: usize,
    until: Instant,
) -> anyhow::Result<Seen> {
    let mut seen = Seen::new();
    let mut round = 0;
    while now() < until {
        let began = now();
        let jobs = if load.works() {
            work(&mut connection, load, &queue, caller, round).await?
        } else {
            let body = jobs(caller, round * load.jobs(), load.jobs());
            connection.post(&format!("/v1/queues/{queue}/jobs"), &body).await?;
            load.jobs()
        };
        if jobs == 0 {
            break;
        }
        seen.note(began.elapsed());
        seen.jobs += jobs as u64;
        seen.requests += load.requests();
        round += 1;
    }
    Ok(seen)
}

/// A claim, and the settles of what it brought.
async fn work(
    connection: &mut HttpConnection,
    load: Load,
    queue: &str,
    caller: usize,
    round: usize,
) -> anyhow::Result<usize> {
    let body = format!(
        r#"{{"worker":"w{caller}","claim_id":"{caller:016x}{round:016x}","limit":{},"lease_ms":60000}}"#,
        load.jobs()
    );
    let answer = connection.post(&format!("/v1/queues/{queue}/claim"), &body).await?;
    let answer: ClaimAnswer<'_> = serde_json::from_str(answer)?;
    let count = answer.jobs.len();
    let mut items = String::from(r#"{"items":["#);
    for (at, job) in answer.jobs.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(items, r#"{comma}{{"receipt":{},"complete":{{}}}}"#, job.receipt)?;
    }
    items.push_str("]}");
    if count > 0 {
        connection.post("/v1/settle", &items).await?;
    }
    Ok(count)
}

/// The body of an enqueue, with about 100 bytes of payload for each job.
fn jobs(caller: usize, first: usize, count: usize) -> String {
    let mut body = String::from(r#"{"jobs":["#);
    for number in first..first + count {
        let comma = if number == first { "" } else { "," };
        let written = write!(
            body,
            r#"{comma}{{"id":"{caller:016x}{number:016x}","kind":"email","payload":{}}}"#,
            crate::in_process::payload(number)
        );
        written.expect("text has room");
    }
    body.push_str("]}");
    body
}
