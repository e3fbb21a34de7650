//! Partitions in a file: what other handles, the application's own transactions and the grouping of
//! calls into one transaction could break.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, request, settle};
use futures_util::{FutureExt, StreamExt};
use queue_core::{
    ClaimRequest, ClaimedJob, Failure, Hint, Interest, JobId, Kind, LeaseToken, Limit, LimitScope,
    ListFilter, ListQuery, ManualClock, NewJob, Partition, PartitionQuery, Pause, Prune, PruneRequest, Rng,
    SeededRng, Span, Storage, StorageExt,
    lifecycle::{Amendment, Cause, Event, OnProcessing, Policy},
};
use queue_sqlite::SqliteStorage;
use rusqlite::{Connection, TransactionBehavior};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

const LEASE: Span = Span::from_secs(30);

fn key(text: &str) -> Partition {
    Partition::new(text).expect("a valid key")
}

fn of(partition: &str, id: &str) -> NewJob {
    job(id).with_partition(key(partition))
}

async fn set_each(store: &SqliteStorage, running: Option<u32>) {
    let limit = running.map(|running| Limit { running: Some(running), ..Limit::default() });
    store.set_limits(&queue(), vec![(LimitScope::EachPartition, limit)]).await.expect("it sets limits");
}

fn number(place: &Place, sql: &str) -> i64 {
    let file = Connection::open(place.path()).expect("it is there");
    file.query_row(sql, [], |row| row.get(0)).expect("it reads")
}

#[tokio::test]
async fn a_queue_is_marked_for_as_long_as_it_has_partitions_or_limits() {
    let place = Place::new();
    let store = place.open().await;
    let marks = || number(&place, "SELECT marks FROM queue_name");
    let rows = || {
        let tables = ["queue_partition", "queue_partition_ready", "queue_limit", "queue_turn"];
        tables.map(|table| number(&place, &format!("SELECT count(*) FROM {table}")))
    };
    enqueue(&store, vec![job("plain")]).await;
    assert_eq!(marks(), 0);
    enqueue(&store, vec![of("a", "x")]).await;
    assert_eq!((marks(), rows()), (4, [1, 1, 0, 0]));
    for held in claim(&store, 9).await.jobs {
        assert_eq!(marks(), 4);
        settle(&store, &held.record.meta, complete(held.token)).await;
    }
    assert_eq!((marks(), rows()), (0, [0; 4]), "a record that is kept is not enough");
    set_each(&store, Some(1)).await;
    assert_eq!((marks(), rows()), (4, [0, 0, 1, 0]));
    set_each(&store, None).await;
    assert_eq!((marks(), rows()), (0, [0; 4]));
    assert_sound(&store).await;
}

#[tokio::test]
async fn jobs_of_partitions_in_a_transaction_of_the_application_count_if_it_commits() {
    let place = Place::new();
    let store = place.open().await;
    set_each(&store, Some(1)).await;
    enqueue(&store, vec![of("a", "first"), of("a", "second")]).await;
    let held = claim(&store, 9).await.jobs.remove(0);
    for commits in [false, true] {
        let mut connection = Connection::open(place.path()).unwrap();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let result = crate::common::text("result");
        store.complete_in(&transaction, &held.record.meta, held.token, result).unwrap();
        store.enqueue_in(&transaction, &queue(), &[of("b", "third")]).unwrap();
        if commits { transaction.commit() } else { transaction.rollback() }.unwrap();
        let ids: Vec<_> =
            claim(&store, 9).await.jobs.iter().map(|job| job.record.meta.id.to_string()).collect();
        assert_eq!(ids, if commits { vec!["second", "third"] } else { vec![] });
        assert_sound(&store).await;
    }
}

/// A claim in the transaction that stores the jobs sees them in their partitions.
#[tokio::test]
async fn calls_of_one_transaction_answer_as_one_after_the_other() {
    let place = Place::new();
    let store = place.open().await;
    set_each(&store, Some(1)).await;
    let mut lock = Connection::open(place.path()).unwrap();
    let lock = lock.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let none = ClaimRequest { limited_max: 0, ..request(9, LEASE) };
    let queue = queue();
    // The writer begins with this one alone, and waits for the lock; the others come in one group.
    let mut alone = Box::pin(store.enqueue(&queue, vec![vec![of("a", "0")]]));
    assert!((&mut alone).now_or_never().is_none());
    let mut stored = Box::pin(store.enqueue(&queue, vec![vec![of("a", "1"), job("plain"), of("b", "0b")]]));
    let mut claims = [none, request(1, LEASE), request(9, LEASE)].map(|asks| Box::pin(store.claim(asks)));
    assert!((&mut stored).now_or_never().is_none());
    assert!(claims.iter_mut().all(|claim| claim.now_or_never().is_none()));
    lock.rollback().unwrap();
    alone.await.unwrap();
    stored.await.unwrap();
    let ids = |claimed: queue_core::Claimed| {
        claimed.jobs.iter().map(|job| job.record.meta.id.to_string()).collect::<Vec<_>>()
    };
    let mut answers = Vec::new();
    for claim in claims {
        answers.push(ids(claim.await.unwrap()));
    }
    assert_eq!(answers, [["plain"], ["0"], ["0b"]]);
    assert_sound(&store).await;
}

/// The other handle listens; a hint that a job of a full partition has come is no reason for the
/// test to fail, but one is sure when a lease ends.
#[tokio::test]
async fn the_end_of_a_lease_wakes_other_handles_for_the_job_that_it_blocked() {
    let place = Place::new();
    let (store, other) = (place.open().await, place.open().await);
    set_each(&store, Some(1)).await;
    enqueue(&store, vec![of("a", "0"), of("a", "1")]).await;
    let held = claim(&store, 9).await.jobs.remove(0);
    let mut hints = other.subscribe(&queue(), Interest::Wake).await.unwrap();
    settle(&store, &held.record.meta, complete(held.token)).await;
    let hint = tokio::time::timeout(Duration::from_secs(60), hints.next()).await.expect("a hint comes");
    assert!(matches!(hint, Some(Hint::Wake | Hint::Missed)), "{hint:?}");
    assert_eq!(claim(&other, 9).await.jobs.len(), 1);
}

/// What a walk does to a store: each step leaves it sound, and no claim exceeds the limit.
struct Walk {
    handles: [SqliteStorage; 2],
    clock: Arc<ManualClock>,
    rng: SeededRng,
    held: Vec<ClaimedJob>,
    limit: Option<u32>,
    next: u32,
}

fn fail(token: LeaseToken) -> Event {
    let failure = Failure::new("error", "it failed");
    Event::Fail { token, failure, cause: Cause::Retryable, delay: None, retention: None, then: Vec::new() }
}

const KEYS: [&str; 3] = ["a", "b", OWN];
const OWN: &str = "own";

impl Walk {
    fn below(&self, end: u64) -> u64 {
        self.rng.next_u64() % end
    }

    fn store(&self) -> &SqliteStorage {
        &self.handles[usize::from(self.below(2) == 1)]
    }

    fn new_job(&mut self) -> NewJob {
        self.next += 1;
        let kind = Kind::from_static(if self.below(3) == 0 { "mail" } else { "report" });
        let mut job = NewJob { kind, ..job(&self.next.to_string()) };
        if self.below(4) > 0 {
            job = job.with_partition(key(KEYS[self.below(3) as usize]));
        }
        if self.below(4) == 0 {
            job = job.with_delay(Span::from_millis(self.below(5_000).cast_signed()));
        }
        let priority = i16::try_from(self.below(3)).expect("it is small") - 1;
        job.with_priority(priority)
    }

    fn some_id(&self) -> JobId {
        JobId::new((1 + self.below(u64::from(self.next.max(1)))).to_string()).expect("a valid id")
    }

    async fn step(&mut self) {
        match self.below(14) {
            0..3 => {
                let jobs = (0..=self.below(3)).map(|_| self.new_job()).collect();
                enqueue(self.store(), jobs).await;
            }
            3..6 => self.claims().await,
            6..9 if !self.held.is_empty() => {
                let at = self.below(self.held.len() as u64) as usize;
                let job = self.held.swap_remove(at);
                let event = match self.below(3) {
                    0 => complete(job.token),
                    1 => Event::release(job.token),
                    _ => fail(job.token),
                };
                settle(self.store(), &job.record.meta, event).await;
            }
            9 if self.below(2) == 0 => self.set_own().await,
            9 => {
                self.limit = [None, Some(0), Some(1), Some(2)][self.below(4) as usize];
                set_each(self.store(), self.limit).await;
            }
            10 => {
                let pause = if self.below(2) == 0 { Pause::UntilResumed } else { Pause::Off };
                let kind = Kind::from_static("mail");
                self.store().set_paused(&queue(), Some(&kind), pause).await.expect("it pauses");
            }
            11 => self.clock.advance(Duration::from_millis(self.below(2_000))),
            12 => {
                let event = match self.below(4) {
                    0 => Event::Amend(Amendment::of_priority(0)),
                    1 => Event::Promote,
                    2 => Event::Cancel { processing: OnProcessing::Request },
                    _ => Event::Redrive { content_type: None },
                };
                let id = self.some_id();
                self.store().change(&queue(), &id, event, &Policy::default()).await.expect("it answers");
            }
            _ => {
                let request =
                    PruneRequest { queue: queue(), what: Prune::FinishedBefore(Span::ZERO), limit: 2 };
                self.store().prune(request).await.expect("it prunes");
            }
        }
    }

    /// One of the partitions has a limit of its own at times, which only `verify` looks at.
    async fn set_own(&self) {
        let double = Limit { weight: 2, ..Limit::default() };
        let limit = [None, Some(double), Some(Limit { running: Some(1), ..double })][self.below(3) as usize];
        let own = LimitScope::Partition(key(OWN));
        self.store().set_limits(&queue(), vec![(own, limit)]).await.expect("it sets limits");
    }

    async fn claims(&mut self) {
        let limited_max = self.below(4) as usize;
        let asks = ClaimRequest { limited_max, ..request(1 + self.below(4) as usize, LEASE) };
        let before = self.leases().await;
        let claimed = self.store().claim(asks).await.expect("it claims").jobs;
        let after = self.leases().await;
        let is_limited =
            |job: &&ClaimedJob| job.record.meta.partition.as_ref().is_some_and(|it| *it != key(OWN));
        let limited = claimed.iter().filter(is_limited).count();
        if let Some(limit) = self.limit {
            assert!(limited <= limited_max);
            let is_over =
                |(key, leases): (&String, &u64)| key != OWN && *leases > u64::from(limit).max(before[key]);
            assert!(!after.iter().any(is_over), "{before:?} became {after:?} under {limit}");
        }
        self.held.extend(claimed);
    }

    async fn leases(&self) -> BTreeMap<String, u64> {
        let query = PartitionQuery::all(queue(), 9);
        let page = self.store().partitions(query).await.expect("it lists partitions");
        let mut leases: BTreeMap<_, _> = KEYS.map(|key| (key.to_owned(), 0)).into();
        leases.extend(page.partitions.into_iter().map(|it| (it.partition.to_string(), it.leases)));
        leases
    }
}

#[tokio::test]
async fn random_steps_of_two_handles_leave_the_partitions_sound_and_nobody_stuck() {
    for seed in 0..12 {
        let place = Place::new();
        let clock = Arc::new(ManualClock::default());
        let open =
            async || SqliteStorage::open(place.options().clock(clock.clone())).await.expect("it opens");
        let handles = [open().await, open().await];
        let mut walk = Walk {
            handles,
            clock: clock.clone(),
            rng: SeededRng::new(seed),
            held: vec![],
            limit: None,
            next: 0,
        };
        for step in 0..120 {
            walk.step().await;
            let findings = walk.handles[0].verify().await.expect("it verifies");
            assert!(findings.is_empty(), "step {step} of seed {seed}: {findings:?}");
        }
        let without_own = vec![(LimitScope::Partition(key(OWN)), None)];
        walk.handles[0].set_limits(&queue(), without_own).await.unwrap();
        set_each(&walk.handles[0], None).await;
        walk.handles[0].set_paused(&queue(), Some(&Kind::from_static("mail")), Pause::Off).await.unwrap();
        clock.advance(Duration::from_secs(600));
        while let jobs @ [_, ..] = &*claim(&walk.handles[1], 9).await.jobs {
            walk.held.extend(jobs.iter().cloned());
        }
        let waiting = walk.handles[0].counts(&queue()).await.unwrap();
        assert_eq!(waiting.due() + waiting.scheduled, 0, "seed {seed}");
        assert_sound(&walk.handles[0]).await;
    }
}

#[tokio::test]
async fn a_listing_by_partition_pages_through_jobs_of_all_states() {
    let place = Place::new();
    let store = place.open().await;
    enqueue(&store, vec![of("a", "0"), of("b", "1"), of("a", "2"), job("3")]).await;
    let held = claim(&store, 1).await.jobs.remove(0);
    settle(&store, &held.record.meta, complete(held.token)).await;
    let filter = ListFilter { partition: Some(key("a")), ..ListFilter::default() };
    let page = store.list(ListQuery::all(queue(), 9).matching(filter)).await.unwrap();
    assert_eq!(page.jobs.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["0", "2"]);
}
