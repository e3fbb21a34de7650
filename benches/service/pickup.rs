//! How long a job waits that an idle worker can take: from the call that stores it to its arrival.

use crate::{
    figures::{Figures, Seen, cpu_of, now},
    in_process::payload,
    request::{ClaimAnswer, HttpConnection},
    server::ServerProcess,
    store::ServedStore,
};
use anyhow::ensure;
use queue::{
    Queue, Raw, Storage,
    worker::{Context, Router, Worker},
};
use std::{sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinSet, time::sleep};

const JOBS: usize = 300;
/// The worker waits again by then.
const SETTLED: Duration = Duration::from_millis(5);

pub(crate) async fn measure(store: ServedStore) -> anyhow::Result<(Figures, Figures)> {
    let folder = tempfile::tempdir()?;
    let storage = queue::open(&store.url(folder.path())).await?;
    let inside = in_process(storage.clone()).await?;
    storage.close().await?;
    let folder = tempfile::tempdir()?;
    let server = ServerProcess::start(&store.url(folder.path()), folder.path()).await?;
    Ok((inside, over_http(&server).await?))
}

fn queue_name() -> String {
    format!("pickup-{}", std::process::id())
}

async fn in_process(storage: Arc<dyn Storage>) -> anyhow::Result<Figures> {
    let (tell, mut told) = mpsc::unbounded_channel();
    let router = Router::new(()).fallback(move |_: Raw, _: Context| {
        let sent = tell.send(now());
        async move { sent.map_err(Into::into) }
    });
    let jobs: Queue<serde_json::Value> = Queue::new(storage.clone(), format!("{}-inside", queue_name()))?;
    let worker = Worker::builder(storage, jobs.name().clone(), router).build()?;
    let stop = worker.stop_token();
    let mut running = JoinSet::new();
    running.spawn(worker.run());
    let (cpu, mut seen, began) = (cpu_of("self"), Seen::new(), now());
    for number in 0..JOBS {
        sleep(SETTLED).await;
        let sent = now();
        jobs.enqueue(number.to_string(), serde_json::from_str(&payload(number))?).await?;
        let Some(started) = told.recv().await else { break };
        seen.note(started.saturating_duration_since(sent));
        (seen.jobs, seen.requests) = (seen.jobs + 1, seen.requests + 3);
    }
    let figures = seen.figures(began.elapsed(), cpu_of("self").saturating_sub(cpu));
    stop.cancel();
    running.join_next().await;
    Ok(figures)
}

async fn over_http(server: &ServerProcess) -> anyhow::Result<Figures> {
    let mut producer = HttpConnection::open(&server.address, &server.token).await?;
    let mut worker = HttpConnection::open(&server.address, &server.token).await?;
    let queue = queue_name();
    let (cpu, mut seen, began) = (cpu_of(&server.id()), Seen::new(), now());
    for number in 0..JOBS {
        let claim =
            format!(r#"{{"worker":"w","claim_id":"{number:032x}","wait_ms":20000,"lease_ms":60000}}"#);
        worker.send(&format!("/v1/queues/{queue}/claim"), &claim).await?;
        sleep(SETTLED).await;
        let job = format!(r#"{{"jobs":[{{"id":"{number:032x}","payload":{}}}]}}"#, payload(number));
        let sent = now();
        let path = format!("/v1/queues/{queue}/jobs");
        let (stored, claimed) = tokio::join!(producer.post(&path, &job), async {
            let answer = worker.answer().await.map(str::to_owned);
            answer.map(|answer| (answer, now()))
        });
        stored?;
        let (answer, came) = claimed?;
        let held: ClaimAnswer<'_> = serde_json::from_str(&answer)?;
        ensure!(held.jobs.len() == 1, "the claim brought {} jobs", held.jobs.len());
        seen.note(came.saturating_duration_since(sent));
        let settle = format!(r#"{{"items":[{{"receipt":{},"complete":{{}}}}]}}"#, held.jobs[0].receipt);
        worker.post("/v1/settle", &settle).await?;
        (seen.jobs, seen.requests) = (seen.jobs + 1, seen.requests + 3);
    }
    Ok(seen.figures(began.elapsed(), cpu_of(&server.id()).saturating_sub(cpu)))
}
