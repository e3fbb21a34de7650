//! A store in memory, under a clock that the test turns.

use queue::{
    MemoryStorage,
    doctor::{Doctor, Finding, Severity},
    queue_core::{
        ClaimRequest, ClaimedJob, ContentType, JobId, Kind, LeaseToken, ManualClock, NewJob, Payload,
        QueueName, Span, Storage, StorageExt, SystemRng, WorkerId, WorkerInfo,
        lifecycle::{Event, Policy},
    },
    view::AboutWorker,
};
use std::{sync::Arc, time::Duration};

pub(super) const MINUTE: Duration = Duration::from_secs(60);

pub(super) struct Ward {
    pub(super) clock: Arc<ManualClock>,
    pub(super) store: Arc<dyn Storage>,
}

impl Ward {
    pub(super) fn new() -> Self {
        let clock = Arc::new(ManualClock::default());
        let store = Arc::new(MemoryStorage::with_clock(clock.clone()));
        Self { clock, store }
    }

    pub(super) fn doctor(&self) -> Doctor {
        Doctor::new(self.store.clone()).clock(self.clock.clone())
    }

    pub(super) async fn finding(&self, code: &str) -> Finding {
        let diagnosis = self.doctor().without_probe().examine().await;
        diagnosis.finding(code).unwrap_or_else(|| panic!("{code} is looked at: {diagnosis:?}")).clone()
    }

    #[track_caller]
    pub(super) fn assert_is(found: &Finding, severity: Severity, seen: &str) {
        assert_eq!(found.severity, severity, "{found:?}");
        assert!(found.seen.contains(seen), "{found:?}");
    }

    pub(super) async fn put(&self, jobs: impl IntoIterator<Item = NewJob>) {
        let groups = jobs.into_iter().map(|job| vec![job]).collect();
        self.store.enqueue(&queue(), groups).await.expect("it is stored");
    }

    pub(super) async fn claim(&self, limit: usize, lease: i64) -> Vec<ClaimedJob> {
        let worker = WorkerId::from_static("holder");
        let request = ClaimRequest::new(queue(), worker, limit, Span::from_secs(lease), &SystemRng);
        self.store.claim(request).await.expect("it claims").jobs
    }

    pub(super) async fn end(&self, event: impl Fn(LeaseToken) -> Event) {
        for job in self.claim(1_000, 30).await {
            self.store
                .settle(&job.record.meta, event(job.token), &Policy::default())
                .await
                .expect("it settles");
        }
    }

    pub(super) async fn announce(&self, id: &str, version: &str, kinds: Option<&[&str]>, running: u32) {
        let kinds = kinds.map_or_else(|| "null".to_owned(), |kinds| format!("{kinds:?}"));
        let about = format!(r#"{{"version":"{version}","kinds":{kinds}}}"#);
        let info = WorkerInfo {
            queues: vec![queue()],
            concurrency: 4,
            held: running,
            about: about.into(),
            ..WorkerInfo::new(WorkerId::new(id).expect("a valid id"))
        };
        assert!(AboutWorker::read(&info.about).is_some());
        self.store.announce(info, Duration::from_secs(86_400)).await.expect("it is listed");
    }
}

pub(super) fn queue() -> QueueName {
    QueueName::from_static("emails")
}

pub(super) fn job(id: impl AsRef<str>) -> NewJob {
    let payload = Payload::new("x", ContentType::from_static("text/plain"));
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::from_static("email"), payload)
}

pub(super) fn jobs(count: usize) -> Vec<NewJob> {
    (0..count).map(|n| job(n.to_string())).collect()
}

pub(super) fn complete(token: LeaseToken) -> Event {
    let result = Payload::new("", ContentType::from_static("text/plain"));
    Event::Complete { token, result, retention: None, then: Vec::new() }
}
