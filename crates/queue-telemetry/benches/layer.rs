//! The cost of measuring: one job enqueued, claimed and settled on the store in memory, one call
//! for each step. The variants are the bare store, the layer without an SDK, and the layer with
//! one.
//!
//! `cargo bench -p queue-telemetry` compares them within one run, round by round. `-- bare 5000`
//! runs one variant that many times and nothing else, for a counter of instructions.

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use queue_core::{
    ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, Retention, SeededRng, Span, Storage,
    WorkerId,
    lifecycle::{Event, Policy, decide},
};
use queue_memory::MemoryStorage;
use queue_telemetry::{Metered, QueueMetrics};
use std::{env, sync::Arc, time::Duration};
use tokio::time::Instant;

const ROUNDS: u32 = 15;
const JOBS: u32 = 2_000;

type Store = Arc<dyn Storage>;

fn stores() -> [(&'static str, Store); 3] {
    let memory = || Arc::new(MemoryStorage::new());
    let of = |meter| Arc::new(Metered::new(memory(), &QueueMetrics::new(&meter))) as Store;
    let provider = SdkMeterProvider::builder()
        .with_periodic_exporter(opentelemetry_sdk::metrics::InMemoryMetricExporter::default())
        .build();
    let with_sdk = of(provider.meter("bench"));
    // A provider that is dropped measures nothing.
    std::mem::forget(provider);
    [("bare", memory()), ("noop", of(opentelemetry::global::meter("bench"))), ("sdk", with_sdk)]
}

async fn jobs(store: &dyn Storage, from: u32, count: u32) -> Duration {
    let queue = QueueName::from_static("bench");
    let rng = SeededRng::new(7 + u64::from(from));
    let begun = Instant::now();
    for n in from..from + count {
        let id = JobId::new(format!("job-{n}")).expect("a valid id");
        let kind = Kind::new("mail").expect("a valid kind");
        let payload = Payload::new("{}", ContentType::from_static("application/json"));
        let job = NewJob::new(id, kind, payload);
        store.enqueue(&queue, vec![vec![job]]).await.expect("memory takes it");
        let worker = WorkerId::from_static("w");
        let claim = ClaimRequest::new(queue.clone(), worker, 1, Span::from_secs(60), &rng);
        let claimed = store.claim(claim).await.expect("memory answers");
        let job = &claimed.jobs[0];
        let result = Payload::new("{}", ContentType::from_static("application/json"));
        let retention = Some(Retention::Remove);
        let complete = Event::Complete { token: job.token, result, retention, then: Vec::new() };
        let settle = decide(&job.record.meta, complete, &Policy::default()).expect("it is leased");
        let settled = store.apply(vec![settle]).await.expect("memory takes it");
        assert!(settled.value[0].is_done());
    }
    begun.elapsed()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let stores = stores();
    if let [name, count] = arguments.as_slice() {
        let (_, store) = stores.iter().find(|(found, _)| found == name).expect("bare, noop or sdk");
        jobs(&**store, 0, count.parse().expect("a number")).await;
        return;
    }
    let mut best = [Duration::MAX; 3];
    for round in 0..ROUNDS {
        for (best, (_, store)) in best.iter_mut().zip(&stores) {
            *best = jobs(&**store, round * JOBS, JOBS).await.min(*best);
        }
    }
    let bare = best[0].as_secs_f64();
    for (best, (name, _)) in best.iter().zip(&stores) {
        let (secs, jobs) = (best.as_secs_f64(), f64::from(JOBS));
        println!("{name:5} {:8.0} ns a job, {:.2} of bare", secs * 1e9 / jobs, secs / bare);
    }
}
