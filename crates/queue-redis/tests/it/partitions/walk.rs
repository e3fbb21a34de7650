//! Random steps of two handles leave partitions sound after each of them.

use super::{assert_sound, complete, job, key, queue, set_each};
use crate::harness::{REDIS, Space, clean_up, fresh_namespace};
use queue_core::{
    ClaimRequest, ClaimedJob, Failure, JobId, Kind, LeaseToken, Limit, LimitScope, ManualClock, NewGate,
    NewJob, OnWaiting, PartitionQuery, Pause, Prune, PruneRequest, Rng, SeededRng, Span, Storage, StorageExt,
    lifecycle::{Amendment, Cause, Event, OnProcessing, Policy},
};
use queue_redis::RedisStorage;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

const KEYS: [&str; 3] = ["a", "b", OWN];
const OWN: &str = "own";
const SEEDS: u64 = 24;
const STEPS: usize = 150;

/// What a walk does to a store: each step leaves it sound, and no claim exceeds the limit.
struct Walk {
    handles: [RedisStorage; 2],
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

impl Walk {
    fn below(&self, end: u64) -> u64 {
        self.rng.next_u64() % end
    }

    fn store(&self) -> &RedisStorage {
        &self.handles[usize::from(self.below(2) == 1)]
    }

    fn new_job(&mut self) -> NewJob {
        self.next += 1;
        let number = if self.below(6) == 0 { 1 + self.below(u64::from(self.next)) } else { self.next.into() };
        let kind = Kind::from_static(if self.below(3) == 0 { "mail" } else { "report" });
        let mut job = NewJob { kind, ..job(&number.to_string()) };
        if self.below(4) > 0 {
            job = job.with_partition(key(KEYS[self.below(3) as usize]));
        }
        match self.below(6) {
            0 => job = job.with_delay(Span::from_millis(self.below(5_000).cast_signed())),
            1 => {
                let timeout = Some(Span::from_millis(self.below(5_000).cast_signed()));
                job = job.with_gate(NewGate { needs: 1, is_sealed: true, timeout });
            }
            2 => job = job.with_on_waiting(OnWaiting::Replace { max_wait: None }),
            _ => {}
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
                super::enqueue(self.store(), jobs).await;
            }
            3..6 => self.claims().await,
            6..9 if !self.held.is_empty() => self.settle().await,
            9 if self.below(2) == 0 => self.set_own().await,
            9 => {
                self.limit = [None, Some(0), Some(1), Some(2)][self.below(4) as usize];
                set_each(self.store(), self.limit.map(super::at_most)).await;
            }
            10 => {
                let pause = if self.below(2) == 0 { Pause::UntilResumed } else { Pause::Off };
                let kind = Kind::from_static("mail");
                self.store().set_paused(&queue(), Some(&kind), pause).await.expect("it pauses");
            }
            11 => self.clock.advance(Duration::from_millis(self.below(2_000))),
            12 => self.change().await,
            _ => {
                let what = [Prune::FinishedBefore(Span::ZERO), Prune::Everything][self.below(2) as usize];
                let request = PruneRequest { queue: queue(), what, limit: 2 };
                self.store().prune(request).await.expect("it prunes");
            }
        }
    }

    async fn settle(&mut self) {
        let at = self.below(self.held.len() as u64) as usize;
        let job = self.held.swap_remove(at);
        let event = match self.below(5) {
            0 => complete(&job),
            1 => Event::release(job.token),
            2 => Event::Complete {
                token: job.token,
                result: job.record.body.as_ref().expect("it was claimed").payload.clone(),
                retention: None,
                then: vec![self.new_job(), self.new_job()],
            },
            3 => {
                let by = Span::from_secs(900);
                super::settle(self.store(), &job, Event::Extend { token: job.token, by, progress: None })
                    .await;
                return self.held.push(job);
            }
            _ => fail(job.token),
        };
        super::settle(self.store(), &job, event).await;
    }

    async fn change(&mut self) {
        let event = match self.below(6) {
            0 => Event::Amend(Amendment::of_priority(0)),
            1 => Event::Promote,
            2 => Event::Cancel { processing: OnProcessing::Request },
            3 => Event::Reschedule { delay: Span::from_millis(self.below(3_000).cast_signed()) },
            4 => Event::Delete,
            _ => Event::Redrive { content_type: None },
        };
        let id = self.some_id();
        drop(self.store().change(&queue(), &id, event, &Policy::default()).await);
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
        let asks = ClaimRequest { limited_max, ..super::request(1 + self.below(4) as usize) };
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
        let page = self.store().partitions(PartitionQuery::all(queue(), 9)).await;
        let mut leases: BTreeMap<_, _> = KEYS.map(|key| (key.to_owned(), 0)).into();
        let partitions = page.expect("it lists partitions").partitions;
        leases.extend(partitions.into_iter().map(|it| (it.partition.to_string(), it.leases)));
        leases
    }
}

#[tokio::test]
async fn random_steps_of_two_handles_leave_the_partitions_sound_and_nobody_stuck() {
    let Some(url) = REDIS.url() else { return };
    for seed in 0..SEEDS {
        let clock = Arc::new(ManualClock::default());
        let space = Space { url: url.clone(), namespace: fresh_namespace(), clock: Some(clock.clone()) };
        let open = async || RedisStorage::open(space.options()).await.expect("it opens");
        let handles = [open().await, open().await];
        let rng = SeededRng::new(seed);
        let mut walk = Walk { handles, clock: clock.clone(), rng, held: vec![], limit: None, next: 0 };
        for step in 0..STEPS {
            walk.step().await;
            let findings = walk.handles[0].verify().await.expect("it verifies");
            assert!(findings.is_empty(), "step {step} of seed {seed}: {findings:?}");
        }
        let without_own = vec![(LimitScope::Partition(key(OWN)), None)];
        walk.handles[0].set_limits(&queue(), without_own).await.expect("it sets limits");
        set_each(&walk.handles[0], None).await;
        let resumed =
            walk.handles[0].set_paused(&queue(), Some(&Kind::from_static("mail")), Pause::Off).await;
        resumed.expect("it resumes");
        clock.advance(Duration::from_secs(600));
        while !super::claim(&walk.handles[1], 9).await.is_empty() {}
        let waiting = walk.handles[0].counts(&queue()).await.expect("it counts");
        assert_eq!(waiting.due() + waiting.scheduled, 0, "seed {seed}");
        assert_sound(&walk.handles[0]).await;
        clean_up(&url, &space.namespace).await.expect("it cleans up");
    }
}
