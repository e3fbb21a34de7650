//! Changes of one waiting job that come in one call: the script writes at its end, so each must
//! build on what the one before has not written yet.

use crate::harness::{REDIS, Space, clean_up, fresh_namespace};
use futures_util::StreamExt as _;
use queue_core::{
    Applied, Budget, ClaimRequest, ContentType, Detail, Headers, Interest, JobId, JobRecord, Kind,
    ManualClock, NewJob, Payload, QueueName, Retention, RetentionPolicy, SeededRng, Span, Storage, Tag, Tags,
    Timestamp, WorkerId,
    lifecycle::{Amendment, Event, OnProcessing, Policy, TrackedJob, Transition, Verdict, apply, decide},
};
use queue_redis::RedisStorage;
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
/// Longer than any hint takes.
const LONG: Duration = Duration::from_secs(60);

fn payload(text: &'static str) -> Payload {
    Payload::new(text, ContentType::from_static("text/plain"))
}

/// A job with something in every part of its record, which is due in an hour.
fn job() -> NewJob {
    let tag = |text| Tag::new(text).expect("valid");
    NewJob::new(JobId::from_static("a"), Kind::from_static("mail"), payload("as it was"))
        .with_headers(Headers::new([("trace", "7")]).expect("valid"))
        .with_tags(Tags::new([tag("one"), tag("two")]).expect("valid"))
        .with_max_attempts(Budget::from_raw(7))
        .with_expires_in(Span::from_secs(7_200))
        .with_on_failure(Kind::from_static("mourn"))
        .with_delay(Span::from_secs(3_600))
}

/// Retentions that most jobs have, for which a record has no bytes.
fn usual() -> RetentionPolicy {
    let keep = |hours: i64| Retention::Keep(Span::from_secs(60 * 60 * hours));
    RetentionPolicy { completed: keep(1), failed: keep(7 * 24) }
}

/// A longer payload and a shorter one, retentions that come and go, and another content type for
/// what was amended.
fn changes() -> Vec<Event> {
    let rare = RetentionPolicy { completed: Retention::Remove, failed: Retention::Forever };
    let retained = |policy| Amendment { retention: Some(policy), ..Amendment::default() };
    let filled = |text| Amendment { payload: Some(payload(text)), ..Amendment::default() };
    let binary = Some(ContentType::from_static("application/octet-stream"));
    vec![
        Event::Amend(Amendment { payload: Some(payload("longer than it was")), ..retained(rare) }),
        Event::Amend(Amendment { priority: Some(-9), ..filled("") }),
        Event::Amend(retained(usual())),
        Event::Amend(Amendment { delay: Some(Span::ZERO), ..filled("short") }),
        Event::Cancel { processing: OnProcessing::Leave },
        Event::Redrive { content_type: binary },
        Event::Amend(Amendment::of_priority(3)),
        Event::Amend(retained(RetentionPolicy { completed: Retention::Forever, ..usual() })),
    ]
}

/// Changes the record as the lifecycle says, and answers what a store is sent.
fn changed(record: &mut JobRecord, event: Event) -> Transition {
    let sent = decide(&record.meta, event, &Policy::default()).expect("it is allowed");
    let mut job = TrackedJob::new(record.meta.clone());
    let Verdict::Written { body, .. } = apply(&mut job, &sent, NOW) else {
        panic!("{sent:?} is not written")
    };
    record.meta = job.meta;
    body.apply_to(record.body.as_mut().expect("it was read whole"));
    sent
}

async fn read(store: &RedisStorage, queue: &QueueName) -> JobRecord {
    let ids = [JobId::from_static("a")];
    let found = store.get(queue, &ids, Detail::Full).await.expect("it reads");
    found.value.into_iter().flatten().next().expect("it is there")
}

#[tokio::test]
async fn changes_of_one_job_in_one_call_each_build_on_the_one_before() {
    let Some(url) = REDIS.url() else { return };
    let clock = Arc::new(ManualClock::new(NOW));
    let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: Some(clock) };
    let store = RedisStorage::open(space.options()).await.expect("it opens");
    for count in 1..=changes().len() {
        let queue = QueueName::new(format!("q{count}")).expect("valid");
        store.enqueue(&queue, vec![vec![job()]]).await.expect("it enqueues");
        let mut expected = read(&store, &queue).await;
        let events = changes().into_iter().take(count);
        let batch = events.map(|event| changed(&mut expected, event)).collect();
        let mut hints = store.subscribe(&queue, Interest::Wake).await.expect("it hears");
        let answers = store.apply(batch).await.expect("it applies").value;
        assert!(answers.iter().all(|answer| matches!(answer, Applied::Done(_))), "{answers:?}");
        assert_eq!(read(&store, &queue).await, expected, "after {count}");
        assert_eq!(store.verify().await.expect("it looks"), Vec::<String>::new(), "after {count}");
        timeout(LONG, hints.next()).await.expect("a worker that sleeps is woken").expect("it is open");
        let worker = WorkerId::from_static("w");
        let request = ClaimRequest::new(queue, worker, 1, Span::from_secs(9), &SeededRng::new(1));
        let bodies: Vec<_> = store
            .claim(request)
            .await
            .expect("it claims")
            .jobs
            .into_iter()
            .map(|job| job.record.body)
            .collect();
        let is_due = expected.meta.state.is_waiting() && expected.meta.run_at <= NOW;
        assert_eq!(bodies, is_due.then_some(expected.body).into_iter().collect::<Vec<_>>(), "after {count}");
    }
    store.close().await.expect("it closes");
    clean_up(&url, &space.namespace).await.expect("it cleans up");
}
