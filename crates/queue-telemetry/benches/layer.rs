//! The cost of measuring: jobs enqueued, claimed and settled on the store in memory, and the event
//! of a worker for each. The variants are the bare store, the metrics without an SDK, and the
//! metrics with one; each with one job a call, and with a hundred.
//!
//! `cargo bench -p queue-telemetry` compares them within one run, round by round. `-- bare 5000 1`
//! runs one variant for 5000 jobs, one a call, and nothing else, for a counter of instructions.

use opentelemetry::metrics::{Meter, MeterProvider as _};
use opentelemetry_sdk::metrics::SdkMeterProvider;
use queue_core::{
    Applied, ClaimRequest, Claimed, ContentType, JobId, Kind, NewJob, Payload, QueueName, Retention,
    SeededRng, Span, Storage, WorkerId,
    lifecycle::{Event, Policy, Transition, decide},
};
use queue_memory::MemoryStorage;
use queue_telemetry::{Metered, QueueMetrics};
use queue_worker::{JobEnd, WorkerEvent};
use std::{env, sync::Arc, time::Duration};
use tokio::time::Instant;

const ROUNDS: u32 = 15;
const JOBS: u32 = 2_000;
/// Jobs a call.
const BATCHES: [u32; 2] = [1, 100];

struct Variant {
    name: &'static str,
    store: Arc<dyn Storage>,
    metrics: Option<QueueMetrics>,
}

impl Variant {
    fn bare() -> Self {
        Self { name: "bare", store: Arc::new(MemoryStorage::new()), metrics: None }
    }

    fn metered(name: &'static str, meter: &Meter) -> Self {
        let metrics = QueueMetrics::new(meter);
        let store = Arc::new(Metered::new(Arc::new(MemoryStorage::new()), &metrics));
        Self { name, store, metrics: Some(metrics) }
    }

    fn all() -> [Self; 3] {
        let provider = SdkMeterProvider::builder()
            .with_periodic_exporter(opentelemetry_sdk::metrics::InMemoryMetricExporter::default())
            .build();
        let sdk = Self::metered("sdk", &provider.meter("bench"));
        // A provider that is dropped measures nothing.
        std::mem::forget(provider);
        [Self::bare(), Self::metered("noop", &opentelemetry::global::meter("bench")), sdk]
    }

    async fn jobs(&self, from: u32, count: u32, batch: u32) -> Duration {
        let queue = QueueName::from_static("bench");
        let rng = SeededRng::new(7 + u64::from(from));
        let begun = Instant::now();
        for from in (from..from + count).step_by(batch as usize) {
            let jobs = (from..from + batch).map(|n| vec![new_job(n)]).collect();
            self.store.enqueue(&queue, jobs).await.expect("memory takes it");
            let worker = WorkerId::from_static("w");
            let claim = ClaimRequest::new(queue.clone(), worker, batch as usize, Span::from_secs(60), &rng);
            let claimed = self.store.claim(claim).await.expect("memory answers");
            let settled = self.store.apply(completions(&claimed)).await.expect("memory takes it");
            assert_eq!(settled.value.len(), batch as usize);
            for applied in settled.value {
                let Applied::Done(after) = applied else { panic!("the lease is held") };
                let Some(metrics) = &self.metrics else { continue };
                let ran_for = Some(Duration::from_millis(3));
                metrics.observe(&WorkerEvent::Completed(JobEnd::new(after, 1, ran_for, None)));
            }
        }
        begun.elapsed()
    }
}

fn new_job(n: u32) -> NewJob {
    let id = JobId::new(format!("job-{n}")).expect("a valid id");
    let kind = Kind::new("mail").expect("a valid kind");
    NewJob::new(id, kind, Payload::new("{}", ContentType::from_static("application/json")))
}

fn completions(claimed: &Claimed) -> Vec<Transition> {
    let complete = |token| {
        let result = Payload::new("{}", ContentType::from_static("application/json"));
        Event::Complete { token, result, retention: Some(Retention::Remove), then: Vec::new() }
    };
    let settle = |meta, token| decide(meta, complete(token), &Policy::default()).expect("it is leased");
    claimed.jobs.iter().map(|job| settle(&job.record.meta, job.token)).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let variants = Variant::all();
    if let [name, count, batch] = arguments.as_slice() {
        let number = |text: &str| text.parse().expect("a number");
        let variant = variants.iter().find(|variant| variant.name == name).expect("bare, noop or sdk");
        variant.jobs(0, number(count), number(batch)).await;
        return;
    }
    for batch in BATCHES {
        compare(&variants, batch).await;
    }
}

async fn compare(variants: &[Variant; 3], batch: u32) {
    let mut best = [Duration::MAX; 3];
    for round in 0..ROUNDS {
        for (best, variant) in best.iter_mut().zip(variants) {
            *best = variant.jobs(round * JOBS, JOBS, batch).await.min(*best);
        }
    }
    let bare = best[0].as_secs_f64();
    for (best, variant) in best.iter().zip(variants) {
        let (name, secs, jobs) = (variant.name, best.as_secs_f64(), f64::from(JOBS));
        println!("{batch:3} a call, {name:5} {:8.0} ns a job, {:.2} of bare", secs * 1e9 / jobs, secs / bare);
    }
}
