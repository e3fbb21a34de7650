//! A store in which every text was chosen to harm its reader.

use queue::{
    ContentType, Failure, JobId, JobOptions, Kind, Payload, Policy, Queue, QueueName, Raw, Storage,
    StorageExt, SystemRng, WorkerId, open,
    queue_core::{
        ClaimRequest, Span, WorkerInfo,
        lifecycle::{Cause, Event},
    },
};
use std::{sync::Arc, time::Duration};

/// Free text: a title, colours in both notations, a forged line, and characters that hide and
/// reorder.
pub(crate) const TEXT: &str = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{7f}\r\nerror: forged\t\u{202e}gnp\u{2066}\u{200b}\u{2028}\u{feff}";
/// Names have no control characters, so this one only hides and reorders.
pub(crate) const NAME: &str = "a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{2028}f\u{2029}g\u{e0041}h\u{ad}i";
/// A tag of the same kind.
pub(crate) const TAG: &str = "t\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{2028}f";
/// The queue of one waiting job.
pub(crate) const QUIET: &str = "q\u{202e}";

/// The fate of each job of the queue [`NAME`].
pub(crate) const FATES: [&str; 6] = ["waits", "later", "runs", "failing", "failed", "completed"];

/// The id of the job with such a fate.
pub(crate) fn id(fate: &str) -> String {
    format!("{fate}{NAME}")
}

fn payload() -> Payload {
    Payload::new(TEXT, ContentType::from_static(NAME))
}

/// Fills the store through the library, as any program with write access could.
pub(crate) async fn fill(url: &str) {
    let storage = open(url).await.expect("a fresh store");
    let jobs: Queue<Raw, Raw> = Queue::new(storage.clone(), NAME).expect("a valid name");
    let jobs = jobs.of_kind(Kind::from_static(NAME));
    let enqueue = async |fate: &str| {
        let delay = Duration::from_secs(if fate == "later" { 3600 } else { 0 });
        let options =
            JobOptions::new().delay(delay).on_failure((fate == "later").then(|| Kind::from_static(NAME)));
        let options = options.tag(TAG).header(NAME, NAME);
        jobs.enqueue_with(id(fate), Raw(payload()), options).await.expect("it is accepted");
    };
    for fate in ["runs", "failing", "failed", "completed"] {
        enqueue(fate).await;
    }
    let batch = jobs.batch(NAME).on_end(Kind::from_static(NAME), &TEXT).open().await.expect("it opens");
    batch.add(id("failed"), Raw(payload())).await.expect("it is accepted");
    work(&storage).await;
    for fate in ["waits", "later"] {
        enqueue(fate).await;
    }
    let quiet: Queue<Raw, Raw> = Queue::new(storage.clone(), QUIET).expect("a valid name");
    quiet.enqueue(id("waits"), Raw(payload())).await.expect("it is accepted");
    let queues = [NAME, QUIET].map(QueueName::from_static).to_vec();
    let (host, about) = (TEXT.to_owned(), TEXT.into());
    let worker = WorkerInfo { queues, concurrency: 1, held: 1, host, about, ..WorkerInfo::new(worker()) };
    storage.announce(worker, Duration::from_hours(1)).await.expect("presence is kept");
    storage.close().await.expect("it closes");
}

fn worker() -> WorkerId {
    WorkerId::from_static(NAME)
}

/// Claims the jobs, and lets each meet its fate.
async fn work(storage: &Arc<dyn Storage>) {
    let hour = Span::from_millis(3_600_000);
    let request = ClaimRequest::new(QueueName::from_static(NAME), worker(), 10, hour, &SystemRng);
    for job in storage.claim(request).await.expect("it claims").jobs {
        let (meta, token) = (job.record.meta, job.token);
        let failure = || Failure::new(TEXT, TEXT).with_details(TEXT.as_bytes().to_vec().into());
        let fail = |cause, delay| Event::Fail {
            token,
            failure: failure(),
            cause,
            delay,
            retention: None,
            then: Vec::new(),
        };
        let event = match meta.id.as_str().trim_end_matches(NAME) {
            "runs" => Event::Extend { token, by: hour, progress: Some(TEXT.as_bytes().to_vec().into()) },
            "failing" => fail(Cause::Retryable, Some(hour)),
            // The member of the batch too.
            fate if fate.ends_with("failed") => fail(Cause::Terminal, None),
            _ => Event::Complete { token, result: payload(), retention: None, then: Vec::new() },
        };
        storage.settle(&meta, event, &Policy::default()).await.expect("it is held");
    }
}

#[tokio::test]
async fn every_fate_is_as_it_is_called() {
    let directory = tempfile::tempdir().expect("there is room");
    let url = format!("sqlite:{}", directory.path().join("queue.db").display());
    fill(&url).await;
    let jobs: Queue<Raw, Raw> = Queue::new(open(&url).await.unwrap(), NAME).unwrap();
    let mut stands = Vec::new();
    for fate in FATES {
        let status = jobs.status(JobId::new(id(fate)).unwrap()).await.unwrap().expect("it is there");
        stands.push(status.state().as_str().to_owned());
    }
    assert_eq!(stands, ["queued", "queued", "processing", "failing", "failed", "completed"]);
}
