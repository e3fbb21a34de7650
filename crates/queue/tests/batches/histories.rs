//! Random histories of a batch: what producers, operators and workers that die do. After each
//! step the counts agree with the ends that were seen, and each callback is enqueued once, in time.
//!
//! `QUEUE_TEST_BATCH_SEEDS=1000` makes as many histories.

use crate::{
    on_stores,
    stage::{HOUR, SECOND, Stage, Work},
};
use queue::{
    Change, ContentType, JobOptions, ManualClock, MemoryStorage, Payload, Policy, Queue, Raw, Rng, SeededRng,
    Seq, State, StorageExt,
    batches::{Batch, BatchStatus},
    queue_core::{Clock as _, JobMeta, Timestamp, lifecycle::Event},
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

const SEEDS: u64 = 12;
/// Each takes some seconds on a server.
const SEEDS_OF_A_STORE: u64 = 1;
const STEPS: u64 = 150;
const TIMEOUT: Duration = Duration::from_secs(40 * 3600);

/// The lives of members that were seen, each with how it ended first.
#[derive(Default)]
struct Seen {
    lives: BTreeMap<u64, Option<State>>,
    /// The callbacks that ran, by the life of each: one whose worker died runs again.
    called: BTreeMap<&'static str, Seq>,
}

struct History<'s> {
    seed: u64,
    rng: SeededRng,
    stage: &'s Stage,
    name: String,
    batch: Batch<Work>,
    opened_at: Timestamp,
    seen: Seen,
    /// A worker would leave the leases of dead ones alone for seconds.
    in_real_time: bool,
}

#[tokio::test(start_paused = true)]
async fn each_callback_comes_once_in_time_and_with_the_counts_of_all_ends() {
    for seed in 0..seeds(SEEDS) {
        let clock = Arc::new(ManualClock::default());
        let stage = Stage::on(Arc::new(MemoryStorage::with_clock(clock.clone())), clock);
        History::begin(seed, &stage, false).await.play().await;
    }
}

on_stores!(one_after_another);

/// Histories of batches in one store, each begun when the one before is over.
async fn one_after_another(stage: Stage) {
    for seed in 0..seeds(SEEDS_OF_A_STORE) {
        History::begin(seed, &stage, true).await.play().await;
    }
}

fn seeds(default: u64) -> u64 {
    std::env::var("QUEUE_TEST_BATCH_SEEDS").map_or(default, |seeds| seeds.parse().expect("a number"))
}

impl<'s> History<'s> {
    async fn begin(seed: u64, stage: &'s Stage, in_real_time: bool) -> Self {
        let name = format!("a{seed}");
        let batch = stage.batch(&name).timeout(TIMEOUT).open().await.expect("opens");
        let opened_at = stage.clock.now();
        let rng = SeededRng::new(seed);
        Self { seed, rng, stage, name, batch, opened_at, seen: Seen::default(), in_real_time }
    }

    async fn play(mut self) {
        for step in 0..STEPS {
            let what = self.below(100);
            self.step(what).await;
            self.check(step, what).await;
        }
        let _ = self.batch.seal().await;
        for _ in 0..100 {
            self.stage.advance(HOUR);
            self.run().await;
            self.check(STEPS, 0).await;
        }
        let status = self.batch.status().await;
        // It is purged once it was kept; until then it is over.
        assert!(status.is_err() || status.unwrap().is_over(), "seed {}", self.seed);
        let called = |kind| usize::from(self.seen.called.contains_key(kind));
        let outcomes = called("success") + called("failure");
        assert_eq!((called("end"), outcomes), (1, 1), "seed {}: {:?}", self.seed, self.seen.called);
    }

    async fn step(&mut self, what: u64) {
        let queue = &self.stage.queue;
        let id = self.batch.job(format!("m{}", self.below(12))).expect("an id");
        match what {
            0..20 => self.add().await,
            20..36 => self.run().await,
            36..40 => self.die().await,
            40..52 => self.stage.advance(SECOND * u32::try_from(self.below(4000)).expect("it is small")),
            52..58 => drop(queue.cancel_with(id, queue::OnProcessing::Request).await.expect("cancels")),
            58..62 => self.delete(&id).await,
            62..72 => drop(queue.redrive(id).await.expect("redrives")),
            72..76 => drop(queue.promote(id).await.expect("promotes")),
            76..88 => self.hold().await,
            88..92 => self.rescue().await,
            92..95 => self.promote_batch().await,
            95..97 => drop(self.stage.batch(&self.name).timeout(TIMEOUT).open().await),
            97 => drop(self.batch.seal().await),
            98 => drop(queue.batches().cancel(&self.name).await),
            _ => drop(queue.batches().find(&self.name).await.expect("reads")),
        }
    }

    async fn run(&self) {
        if self.in_real_time {
            self.rescue().await;
        }
        self.stage.run().await;
    }

    /// A worker dies at one of its calls, before or after that took effect.
    async fn die(&self) {
        let dying = self.stage.dying(self.below(12), self.below(2) == 0);
        self.stage.behind(dying).run().await;
    }

    async fn add(&self) {
        let id = format!("m{}", self.below(12));
        let child = format!("m{}", self.below(12));
        let work = match self.below(6) {
            0 => Work::Fail,
            1 => Work::FailOnce,
            2 => Work::Add(child),
            3 => Work::AddAndFail(child),
            _ => Work::Complete,
        };
        let delay = Duration::from_secs(if self.below(3) == 0 { self.below(5000) } else { 0 });
        drop(self.batch.add_with(id, work, JobOptions::new().delay(delay).max_stalls(2)).await);
    }

    /// A consumer takes a job and completes it, fails it, or dies with it.
    async fn hold(&self) {
        let storage = self.stage.queue.storage().clone();
        let raw: Queue<Raw, Raw> = Queue::new(storage, self.stage.queue.name()).expect("a name");
        let Some(held) = raw.dequeue(Duration::ZERO).await.expect("claims") else { return };
        let null = Raw(Payload::new("null", ContentType::from_static("application/json")));
        match self.below(3) {
            _ if held.meta().kind.as_str() != "default" => drop(held.release().await.expect("settles")),
            0 => drop(held.ack(&null).await.expect("settles")),
            1 => drop(held.nack(queue::Failure::new("Boom", "it broke")).await.expect("settles")),
            _ => std::mem::forget(held),
        }
    }

    async fn delete(&mut self, id: &queue::JobId) {
        let before = self.stage.meta(id).await;
        let deleted = self.stage.queue.delete(id).await.expect("deletes");
        if let (Change::Done, Some(before)) = (deleted, before) {
            self.seen.lives.entry(before.seq.get()).or_default().get_or_insert(State::Cancelled);
        }
    }

    async fn rescue(&self) {
        let queue = self.stage.queue.name();
        self.stage.queue.storage().rescue(queue, 10, &Policy::default()).await.expect("rescues");
    }

    async fn promote_batch(&self) {
        let Some(meta) = self.coordinator().await else { return };
        let storage = self.stage.queue.storage();
        storage.settle(&meta, Event::Promote, &Policy::default()).await.expect("promotes");
    }

    async fn coordinator(&self) -> Option<JobMeta> {
        let id = queue::batches::BatchLife::coordinator_of(self.batch.name());
        self.stage.meta(&id).await.filter(|meta| meta.seq == self.batch.seq())
    }

    async fn check(&mut self, step: u64, what: u64) {
        self.look().await;
        let at = format!("seed {} step {step} ({what})", self.seed);
        let called = self.stage.called().into_iter();
        for called in called.filter(|called| called.end.batch == self.name) {
            let life = *self.seen.called.entry(called.kind).or_insert(called.seq);
            assert_eq!(life, called.seq, "{at}: {} twice", called.kind);
            let end = called.end;
            if called.kind == "first" {
                assert!(end.failed + end.cancelled > 0, "{at}: {end:?}");
                continue;
            }
            let all_ended = self.seen.lives.values().all(Option::is_some);
            let is_late =
                self.stage.clock.now() >= self.opened_at + queue::queue_core::Span::at_most(TIMEOUT);
            assert!(if end.timed_out { is_late } else { all_ended }, "{at}: too early: {end:?}");
            if !end.timed_out {
                let counted = [end.added, end.completed, end.failed, end.cancelled];
                assert_eq!(counted, self.counted(), "{at}: {end:?}");
            }
        }
        let Ok(status) = self.batch.status().await else { return };
        if !status.timed_out {
            let BatchStatus { added, completed, failed, cancelled, .. } = status;
            assert_eq!([added, completed, failed, cancelled], self.counted(), "{at}: {status:#?}");
        }
    }

    /// Notes new members and first ends.
    async fn look(&mut self) {
        use futures_util::TryStreamExt;
        let all: Vec<_> = self.batch.jobs().all().try_collect().await.expect("lists");
        for status in all {
            let end = self.seen.lives.entry(status.meta.seq.get()).or_default();
            if status.meta.state.is_terminal() {
                end.get_or_insert(status.meta.state);
            }
        }
    }

    fn counted(&self) -> [u64; 4] {
        let of = |state| self.seen.lives.values().filter(|end| **end == Some(state)).count() as u64;
        let added = self.seen.lives.len() as u64;
        [added, of(State::Completed), of(State::Failed), of(State::Cancelled)]
    }

    fn below(&self, bound: u64) -> u64 {
        u64::try_from(self.rng.next_u128() % u128::from(bound)).expect("it is small")
    }
}
