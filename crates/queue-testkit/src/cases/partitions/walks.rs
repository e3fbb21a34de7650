//! Random steps: no claim exceeds a limit, the partitions stay sound, and at the end every job can
//! be claimed.

use super::{key, limits, partitions, set};
use crate::{
    bench::prelude::*,
    cases::{
        cases,
        kind_pause::{of_kind, resume, stop},
    },
};
use queue_core::{
    ClaimRequest, ClaimedJob, JobId, Limit, LimitScope, NewJob, Prune, Rng, SeededRng, Span,
    lifecycle::{Amendment, Event, OnProcessing},
};
use std::collections::BTreeMap;

cases! { "partition_walks":
    random_steps_of_two_handles_exceed_no_limit_and_leave_nobody_stuck [I25 I15] (Partitions Pause SecondHandle);
}

const SEEDS: u64 = 3;
const STEPS: usize = 80;
const KEYS: [&str; 3] = ["a", "b", OWN];
/// The partition that has a limit of its own at times.
const OWN: &str = "own";

async fn random_steps_of_two_handles_exceed_no_limit_and_leave_nobody_stuck(bench: &Bench) {
    let second = bench.second().await;
    for seed in 0..SEEDS {
        let queue = format!("walk-{seed}");
        let mut walk = Walk {
            handles: [bench.on_queue(&queue), second.on_queue(&queue)],
            rng: SeededRng::new(seed),
            held: Vec::new(),
            next: 0,
        };
        for step in 1..=STEPS {
            walk.step().await;
            if step % 20 == 0 {
                walk.bench().check_conservation().await;
            }
        }
        walk.end(seed).await;
    }
}

/// What a walk does to a queue.
struct Walk {
    handles: [Bench; 2],
    rng: SeededRng,
    held: Vec<ClaimedJob>,
    /// The number of the last job.
    next: u32,
}

impl Walk {
    fn below(&self, end: u64) -> u64 {
        self.rng.next_u64() % end
    }

    fn some<T: Copy>(&self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).expect("it is an index")]
    }

    /// One of the handles.
    fn bench(&self) -> Bench {
        self.handles[usize::from(self.below(2) == 1)].clone()
    }

    fn new_job(&mut self) -> NewJob {
        self.next += 1;
        let mut job = of_kind(self.some(&["mail", "report", "report"]), &self.next.to_string());
        if self.below(4) > 0 {
            job = job.with_partition(key(self.some(&KEYS)));
        }
        if self.below(4) == 0 {
            job = job.with_delay(Span::from_millis(self.below(5_000).cast_signed()));
        }
        job.with_priority(self.some(&[-1, 0, 1]))
    }

    fn some_id(&self) -> JobId {
        id(&(1 + self.below(u64::from(self.next.max(1)))).to_string())
    }

    async fn step(&mut self) {
        let bench = self.bench();
        match self.below(14) {
            0..3 => {
                let jobs = (0..=self.below(3)).map(|_| self.new_job()).collect();
                bench.enqueue_groups(vec![jobs]).await;
            }
            3..6 => self.claims(&bench).await,
            6..9 if !self.held.is_empty() => {
                let at = self.below(self.held.len() as u64);
                let job = self.held.swap_remove(usize::try_from(at).expect("it is an index"));
                bench.settle(&job, self.some(&[complete, fail, release])(job.token)).await;
            }
            9 => self.sets_limits(&bench).await,
            10 if self.below(2) == 0 => stop(&bench, "mail").await,
            10 => resume(&bench, "mail").await,
            11 => bench.advance(Span::from_millis(self.below(2_000).cast_signed())),
            12 => self.changes(&bench).await,
            _ => drop(bench.prune(Prune::FinishedBefore(Span::ZERO), 2).await),
        }
    }

    async fn changes(&self, bench: &Bench) {
        let event = match self.below(4) {
            0 => Event::Amend(Amendment::of_priority(0)),
            1 => Event::Promote,
            2 => Event::Cancel { processing: OnProcessing::Request },
            _ => Event::Redrive { content_type: None },
        };
        bench.change(self.some_id().as_str(), event).await;
    }

    async fn sets_limits(&self, bench: &Bench) {
        let own = LimitScope::Partition(key(OWN));
        let scope = self.some(&[&LimitScope::EachPartition, &own]).clone();
        let limit = |running| Some(Limit { running, weight: self.some(&[1, 2]) });
        let limit = match self.below(5) {
            0 => None,
            1 => limit(None),
            running => limit(Some(u32::try_from(running).expect("it is small") - 2)),
        };
        set(bench, scope, limit).await;
    }

    /// A claim takes no partition above its limit, and no more limited jobs than it may.
    async fn claims(&mut self, bench: &Bench) {
        let limited_max = usize::try_from(self.below(4)).expect("it is small");
        let limit = 1 + usize::try_from(self.below(4)).expect("it is small");
        let before = leases(bench).await;
        let claimed = bench.send(ClaimRequest { limited_max, ..bench.request(limit) }).await.jobs;
        let after = leases(bench).await;
        let mut limited = 0;
        for name in KEYS {
            let running = in_force(bench, name).await.running;
            let is_of = |job: &&ClaimedJob| job.record.meta.partition == Some(key(name));
            let got = claimed.iter().filter(is_of).count() as u64;
            let of = |leases: &BTreeMap<String, u64>| leases.get(name).copied().unwrap_or_default();
            assert_eq!(of(&after), of(&before) + got, "{name}");
            if let Some(running) = running {
                limited += got;
                assert!(got == 0 || of(&after) <= u64::from(running), "{name}: {after:?} under {running}");
            }
        }
        assert!(limited <= limited_max as u64, "{limited} limited jobs for {limited_max}");
        self.held.extend(claimed);
    }

    /// Without limits and pauses, once all are due, every job that waits is given.
    async fn end(mut self, seed: u64) {
        let [bench, other] = self.handles.clone();
        set(&bench, LimitScope::EachPartition, None).await;
        set(&other, LimitScope::Partition(key(OWN)), None).await;
        resume(&bench, "mail").await;
        bench.advance(Span::from_secs(600));
        while let jobs @ [_, ..] = &*other.claim(9).await {
            self.held.extend(jobs.iter().cloned());
        }
        let waiting = bench.counts().await;
        assert_eq!((waiting.due(), waiting.scheduled), (0, 0), "seed {seed}");
        bench.check_conservation().await;
    }
}

/// How many jobs of each partition are leased.
async fn leases(bench: &Bench) -> BTreeMap<String, u64> {
    partitions(bench).await.into_iter().map(|status| (status.partition.to_string(), status.leases)).collect()
}

async fn in_force(bench: &Bench, name: &str) -> Limit {
    let all: BTreeMap<LimitScope, Limit> = limits(bench).await.into_iter().collect();
    let own = all.get(&LimitScope::Partition(key(name)));
    own.or_else(|| all.get(&LimitScope::EachPartition)).copied().unwrap_or_default()
}
