//! Jobs that stand in every way there is, and how each stands, written down without the code under
//! test.

use queue::{
    JobId, Kind, NewJob, Payload, QueueName, SystemRng, Timestamp, WorkerId,
    queue_core::{
        ClaimRequest, ContentType, Detail, Failure, NewGate, Retention, Span, Storage, StorageExt, Tag, Tags,
        lifecycle::{Cause, Event, OnProcessing, Policy},
    },
};

const HOUR: Span = Span::from_secs(3600);

/// A job of the store, and how it stands, written down without the code under test.
pub(super) struct Stored {
    pub(super) id: &'static str,
    standings: &'static [&'static str],
}

pub(super) const STORED: &[Stored] = &[
    job("x-completed", &["completed"]),
    job("y-failed", &["failed"]),
    job("x-failed", &["failed"]),
    job("x-held", &["processing"]),
    job("y-lapsed", &["processing", "lapsed"]),
    job("x-retry-later-1", &["scheduled", "failing"]),
    job("y-retry-later-2", &["scheduled", "failing"]),
    job("x-retry-later-3", &["scheduled", "failing"]),
    job("x-later", &["scheduled", "queued"]),
    job("y-parked", &["scheduled", "parked", "queued"]),
    job(GATED, &["gated", "queued"]),
    job("y-cancelled", &["cancelled"]),
    job("x-retry-1", &["due", "failing"]),
    job("y-retry-2", &["due", "failing"]),
    job("x-due-1", &["due", "queued"]),
    job("y-due-2", &["due", "queued"]),
    job("x-due-3", &["due", "queued"]),
];

const fn job(id: &'static str, standings: &'static [&'static str]) -> Stored {
    Stored { id, standings }
}

impl Stored {
    fn is_first(&self) -> bool {
        self.id.starts_with('x')
    }

    pub(super) fn matches(&self, part: &str, value: &str) -> bool {
        match (part, value) {
            ("state", state) => self.standings.contains(&state),
            ("kind", "first") | ("tag", "a") | ("id_prefix", "x-") => self.is_first(),
            ("worker", "w-1") => self.id == "x-held",
            ("since_ms", _) => self.is_late(),
            ("until_ms", _) => !self.is_late(),
            other => panic!("no job is asked for by {other:?}"),
        }
    }

    /// Whether it came into its state in the second half.
    fn is_late(&self) -> bool {
        let middle = STORED.iter().position(|job| job.id == MIDDLE).expect("one of them");
        STORED.iter().position(|job| job.id == self.id).expect("one of them") >= middle
    }
}

/// The job behind a gate.
pub(super) const GATED: &str = "x-gated";
/// The first job of the second half.
const MIDDLE: &str = "x-later";

fn mail() -> QueueName {
    QueueName::from_static("mail")
}

/// Stores the jobs, in the order of the table, and returns the time between its halves.
pub(super) async fn fill(store: &dyn Storage) -> Timestamp {
    let mut middle = Timestamp::default();
    for stored in STORED {
        if stored.id == MIDDLE {
            middle = next_millisecond(store).await;
        }
        put(store, stored).await;
        if let Some((worker, lease, event)) = held(stored.id) {
            claim(store, stored.id, worker, lease, event).await;
        }
    }
    middle
}

/// Waits until the clock of the store shows another time, so that no job is on both sides of it.
async fn next_millisecond(store: &dyn Storage) -> Timestamp {
    let now = async || store.get(&mail(), &[], Detail::Meta).await.expect("a time").now;
    let before = now().await;
    loop {
        let after = now().await;
        if after > before {
            return after;
        }
    }
}

async fn put(store: &dyn Storage, stored: &Stored) {
    let (kind, tag) = if stored.is_first() { ("first", "a") } else { ("second", "b") };
    let payload = Payload::new(b"1".to_vec(), ContentType::from_static("application/json"));
    let tags = Tags::new([Tag::new(tag).expect("valid")]).expect("one tag");
    let delay = match stored.id {
        "x-later" => HOUR,
        "y-parked" => Span::MAX,
        _ => Span::ZERO,
    };
    let id = JobId::from_static(stored.id);
    // The job that is put last goes first.
    let new = NewJob::new(id.clone(), Kind::from_static(kind), payload).with_tags(tags).with_delay(delay);
    let new = if stored.id == GATED {
        new.with_gate(NewGate { needs: 1, is_sealed: true, timeout: None })
    } else {
        new
    };
    let place = STORED.iter().position(|job| job.id == stored.id).expect("one of them");
    let new = new.with_priority(-i16::try_from(place).expect("a few jobs"));
    store.enqueue(&mail(), vec![vec![new]]).await.expect("stored");
    if stored.id == "y-cancelled" {
        let event = Event::Cancel { processing: OnProcessing::Leave };
        store.change(&mail(), &id, event, &Policy::default()).await.expect("cancelled");
    }
}

/// How a worker leaves a job that it claimed.
enum Ending {
    Completes,
    Fails,
    Retries(Span),
    Runs,
}

fn held(id: &str) -> Option<(&'static str, Span, Ending)> {
    Some(match id {
        "x-completed" => ("w-1", HOUR, Ending::Completes),
        "y-failed" | "x-failed" => ("w-1", HOUR, Ending::Fails),
        "x-held" => ("w-1", HOUR, Ending::Runs),
        "y-lapsed" => ("w-lost", Span::from_millis(1), Ending::Runs),
        id if id.contains("retry-later") => ("w-2", HOUR, Ending::Retries(HOUR)),
        id if id.contains("retry") => ("w-2", HOUR, Ending::Retries(Span::ZERO)),
        _ => return None,
    })
}

async fn claim(store: &dyn Storage, id: &str, worker: &'static str, lease: Span, ending: Ending) {
    let request = ClaimRequest::new(mail(), WorkerId::from_static(worker), 1, lease, &SystemRng);
    let claimed = store.claim(request).await.expect("claimed").jobs.pop().expect("a job");
    assert_eq!(claimed.record.meta.id.as_str(), id);
    let token = claimed.token;
    let failed = |cause, delay| Event::Fail {
        token,
        failure: Failure::new("Io", "disk"),
        cause,
        delay,
        retention: None,
        then: Vec::new(),
    };
    let event = match ending {
        Ending::Completes => {
            let result = Payload::new(b"1".to_vec(), ContentType::from_static("application/json"));
            Event::Complete { token, result, retention: Some(Retention::Forever), then: Vec::new() }
        }
        Ending::Fails => failed(Cause::Terminal, None),
        Ending::Retries(delay) => failed(Cause::Retryable, Some(delay)),
        Ending::Runs => return,
    };
    store.settle(&claimed.record.meta, event, &Policy::default()).await.expect("settled");
}
