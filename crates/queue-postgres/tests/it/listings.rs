//! Every listing of this store, from both ends and in pages of every size, compared with the
//! reference for the same jobs.

use crate::common::{Place, claim, complete, enqueue, fail, job, queue, settle};
use queue_core::{
    Budget, ClaimedJob, Direction, Failure, JobId, JobMeta, LeaseToken, ListFilter, ListQuery, Moment,
    NewJob, OnFailed, Page, QueueName, Seq, Span, State, Storage, StorageExt, Tag, Tags, Timestamp, Walk,
    WorkerId,
    lifecycle::{Cause, Event, OnProcessing, Policy, TrackedJob},
};
use queue_postgres::PostgresStorage;
use std::collections::HashMap;

const EACH: usize = 12;

fn tag(text: &str) -> Tag {
    Tag::new(text).expect("valid")
}

fn new(n: usize) -> NewJob {
    let tags = ["even", "third"].into_iter().enumerate().filter(|(at, _)| n.is_multiple_of(at + 2));
    let tags = Tags::new(tags.map(|(_, text)| tag(text))).expect("few");
    job(&format!("{}{n:03}", if n.is_multiple_of(5) { "five-" } else { "" }))
        .with_tags(tags)
        .with_priority(i16::try_from(n % 3).expect("small"))
}

/// Stores jobs in every state, some scheduled for later; returns the tokens of the running ones.
async fn fill(store: &PostgresStorage) -> HashMap<Seq, LeaseToken> {
    enqueue(store, (0..7 * EACH).map(new).collect()).await;
    enqueue(store, (7 * EACH..8 * EACH).map(|n| new(n).with_delay(Span::from_secs(5400))).collect()).await;
    let mut held = HashMap::new();
    for round in 0..6 {
        for claimed in claim(store, EACH).await.jobs {
            let (meta, token) = (&claimed.record.meta, claimed.token);
            let failure = Failure::new("Injected", "part of the test");
            match round {
                0 => drop(settle(store, meta, complete(token)).await),
                1 => drop(settle(store, meta, fail(token)).await),
                2 => {
                    // Due at once, or not while this test runs: the reference is at one time.
                    let hours = i64::try_from(meta.seq.get() % 7).expect("small");
                    let delay = Some(Span::from_secs(hours * 3600));
                    let cause = Cause::Retryable;
                    let retention = None;
                    let then = Vec::new();
                    let event = Event::Fail { token, failure, cause, delay, retention, then };
                    settle(store, meta, event).await;
                }
                3 => cancel(store, &claimed).await,
                _ => drop(held.insert(meta.seq, token)),
            }
        }
    }
    held
}

/// Gives a job back, and cancels it while it waits.
async fn cancel(store: &PostgresStorage, claimed: &ClaimedJob) {
    let meta = &claimed.record.meta;
    settle(store, meta, Event::release(claimed.token)).await;
    let event = Event::Cancel { processing: OnProcessing::Leave };
    store.change(&queue(), &meta.id, event, &Policy::default()).await.expect("it is cancelled");
}

/// All pages of a listing.
async fn walked(store: &PostgresStorage, mut query: ListQuery) -> Vec<JobMeta> {
    let mut jobs = Vec::new();
    loop {
        let page = store.list(query.clone()).await.expect("it lists");
        assert!(page.jobs.len() <= query.limit && page.looked_at <= ListQuery::LOOKS_MAX as u64);
        assert!(page.next.is_none() || page.jobs.len() == query.limit, "a page is full, or the last");
        jobs.extend(page.jobs);
        match page.next {
            Some(next) => query.after = Some(next),
            None => return jobs,
        }
    }
}

fn walks(held: &HashMap<Seq, LeaseToken>) -> Vec<Walk> {
    let mut walks = vec![Walk::Due, Walk::Scheduled, Walk::Lapsed];
    walks.extend(held.values().take(1).map(|token| Walk::Held { token: *token }));
    for direction in [Direction::OldestFirst, Direction::NewestFirst] {
        walks.push(Walk::All(direction));
        walks.push(Walk::Tagged(tag("third"), direction));
        walks.push(Walk::Tagged(tag("nobody's"), direction));
        walks.extend(State::ALL.map(|state| Walk::State(state, direction)));
    }
    walks
}

fn filters(all: &[JobMeta]) -> Vec<ListFilter> {
    let mut times: Vec<Timestamp> = all.iter().map(JobMeta::entered_at).collect();
    times.sort_unstable();
    let entered = times[times.len() / 4]..times[times.len() * 3 / 4];
    vec![
        ListFilter::default(),
        ListFilter::in_states([State::Failed, State::Queued]),
        ListFilter { tag: Some(tag("even")), ..ListFilter::default() },
        ListFilter { id_prefix: Some("five-".to_owned()), ..ListFilter::default() },
        ListFilter { id_prefix: Some("_i%".to_owned()), ..ListFilter::default() },
        ListFilter { worker: Some(WorkerId::from_static("nobody")), ..ListFilter::default() },
        ListFilter { entered: Some(entered.clone()), ..ListFilter::default() },
        ListFilter { entered: Some(entered.end..entered.start), ..ListFilter::default() },
    ]
}

#[tokio::test]
async fn every_listing_shows_what_the_reference_shows() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    let other = QueueName::from_static("beside");
    store.enqueue(&other, vec![(0..EACH).map(new).collect()]).await.expect("they are stored");
    let held = fill(&store).await;
    // Times in this test are close to each other; some are made equal, so that the number decides.
    place.execute("UPDATE {schema}.finished SET finished_at = finished_at / 4 * 4").await;
    place.execute("UPDATE {schema}.lease SET expires_at = deadline - 600000, deadline = deadline - 700000 WHERE seq % 2 = 0").await;
    let all = walked(&store, ListQuery::all(queue(), 1000)).await;
    assert_eq!(all.len(), 8 * EACH);
    for state in State::ALL {
        assert!(all.iter().any(|job| job.state == state), "{state:?}");
    }
    let Page { now, clock, .. } = store.list(ListQuery::all(queue(), 1)).await.expect("it lists");
    let tracked = |meta: &JobMeta| {
        let token = held.get(&meta.seq).copied();
        TrackedJob { token, ..TrackedJob::new(meta.clone()) }
    };
    for walk in walks(&held) {
        for filter in filters(&all) {
            for limit in [1, 7, 1000] {
                let query = ListQuery::new(queue(), walk.clone(), limit).matching(filter.clone());
                let all_at_once = ListQuery { limit: 1000, ..query.clone() };
                let expected =
                    all_at_once.page_of(all.iter().map(tracked), "reference", Moment { now, clock });
                assert_eq!(
                    walked(&store, query.clone()).await,
                    expected.expect("no cursor").jobs,
                    "{query:?}"
                );
            }
        }
    }
    place.finish(&store).await;
}

#[tokio::test]
async fn a_filter_that_shows_little_is_stepped_through_in_bounded_pages() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![job("first")]).await;
    let copies = "INSERT INTO {schema}.body (seq, created_at, queue, priority, id, kind, content_type, payload)
        SELECT nextval('{schema}.life'), 0, queue, 0, 'copy' || n, 'k', 'a/b', '' FROM {schema}.body, generate_series(1, 12000) AS n;
        INSERT INTO {schema}.ready (seq, run_at, revision, epoch, failures, stalls, queue, size, priority, state, flags)
        SELECT seq, 9e15, 1, 0, 0, 0, queue, 0, 0, 0, 0 FROM {schema}.body WHERE id LIKE 'copy%'; DELETE FROM {schema}.total";
    place.execute(copies).await;
    for (walk, looks) in [(Walk::All(Direction::NewestFirst), 10_000), (Walk::Scheduled, 1_000)] {
        let filter = ListFilter { id_prefix: Some("first".to_owned()), ..ListFilter::default() };
        let mut query = ListQuery::new(queue(), walk.clone(), 10).matching(filter);
        let mut looked_at = Vec::new();
        loop {
            let page = store.list(query.clone()).await.expect("it lists");
            looked_at.push(page.looked_at);
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        let total = if walk == Walk::Scheduled { 12_000 } else { 12_001 };
        assert_eq!((looked_at[0], looked_at.iter().sum::<u64>()), (looks, total), "{looked_at:?}");
    }
    let first = ListQuery::new(queue(), Walk::All(Direction::NewestFirst), 50);
    assert_eq!(store.list(first).await.expect("it lists").looked_at, 50, "no further than the page");
    place.finish(&store).await;
}

#[tokio::test]
async fn the_last_ten_attempts_of_a_life_are_kept_and_go_with_it() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    let (id, policy) = (JobId::new("a").expect("valid"), Policy::default());
    enqueue(&store, vec![job("a").with_max_attempts(Budget::Unlimited)]).await;
    for n in 1..=13_u64 {
        let held = claim(&store, 1).await.jobs.pop().expect("it is due");
        let failure = Failure::new(format!("E{n}"), "é".repeat(200));
        let (token, cause) = (held.token, if n == 6 { Cause::Terminal } else { Cause::Retryable });
        let event =
            Event::Fail { token, failure, cause, delay: Some(Span::ZERO), retention: None, then: Vec::new() };
        settle(&store, &held.record.meta, event).await;
        let found = store.attempts_of(&queue(), &id).await.expect("it is read").value.expect("it is there");
        let last = found.attempts.last().expect("just charged");
        assert_eq!(found.attempts.len() as u64, n.min(10));
        assert!(found.attempts.is_sorted_by_key(|attempt| attempt.epoch));
        assert_eq!(
            (last.epoch, last.error_name.as_str(), last.error_message.len()),
            (n, &*format!("E{n}"), 256)
        );
        assert_eq!(
            (Some(last.claimed_at), Some(last.ended_at)),
            (held.record.meta.claimed_at, found.meta.failed_at)
        );
        assert_eq!(last.worker, held.record.meta.lease.expect("it ran").worker);
        if n == 6 {
            store
                .change(&queue(), &id, Event::Redrive { content_type: None }, &policy)
                .await
                .expect("it is redriven");
        }
    }
    let held = claim(&store, 1).await.jobs.pop().expect("it is due");
    settle(&store, &held.record.meta, fail(held.token)).await;
    enqueue(&store, vec![job("a").with_on_failed(OnFailed::Replace)]).await;
    let found = store.attempts_of(&queue(), &id).await.expect("it is read").value.expect("it is there");
    assert_eq!((found.attempts.len(), found.meta.claimed_at), (0, None), "a new life");
    assert_eq!(place.execute("SELECT FROM {schema}.attempt").await, 0);
    place.finish(&store).await;
}
