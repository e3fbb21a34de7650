//! What to make of the queues: pure functions, each with its thresholds.

use super::{
    facts::{QueueFacts, StoreFacts, WorkerFacts},
    words::warning_of,
};
use queue_core::{Finding, State, WorkerId, asking::StoreAnswers};
use queue_view::words::age;
use std::{collections::BTreeSet, time::Duration};

/// Every worker looks for lapsed leases every five seconds at the latest. One that has just started
/// leaves them alone for a while (ADR 0071). A lease that lapsed longer ago than that and two looks
/// has no worker that looks for it.
const LAPSED_MAX: Duration = StoreAnswers::RESENT_WITHIN.saturating_add(Duration::from_secs(10));
/// A worker announces itself every ten seconds, and a present one is listed for thirty; by then
/// each of its claims has a worker that is listed.
const HELD_BY_NOBODY_MIN: Duration = Duration::from_secs(60);
/// A worker with a free slot claims within its poll interval, a second by default.
const DUE_MAX: Duration = Duration::from_secs(60);
/// Longer than a repair takes.
const PAUSE_MAX: Duration = Duration::from_secs(86_400);
/// Fewer failures say nothing about a share.
const FAILURES_MIN: usize = 20;
/// Failures that are part of normal work stay well below.
const FAILED_PERCENT_MAX: usize = 5;

pub(super) fn all(facts: &StoreFacts) -> Vec<Finding> {
    vec![
        lapsed(facts),
        held_by_nobody(facts),
        nobody_works(facts),
        idle_workers(facts),
        unhandled_kinds(facts),
        paused(facts),
        failed_share(facts),
        kept_for_ever(facts),
    ]
}

fn lapsed(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let ages =
            queue.lapsed.iter().filter_map(|job| Some(facts.time.now.since(job.lease.as_ref()?.expires_at)));
        let old: Vec<Duration> = ages.filter(|age| *age > LAPSED_MAX).collect();
        let oldest = old.iter().max()?;
        Some(format!("has {} leases that lapsed up to {} ago", old.len(), age(*oldest)))
    });
    warning_of(
        "leases-lapsed",
        found,
        "no lease lapsed and stayed",
        "start a worker of this queue: any worker ends lapsed leases within seconds, so that their jobs run again",
    )
}

fn held_by_nobody(facts: &StoreFacts) -> Finding {
    const CODE: &str = "held-by-nobody";
    let Some(workers) = &facts.workers else {
        return Finding::unknown(
            CODE,
            "workers of this store do not announce themselves",
            "ask each of them",
        );
    };
    let present: BTreeSet<&WorkerId> = workers.iter().map(|worker| &worker.info.id).collect();
    let found = facts.of_each_queue(|queue| {
        let is_lost = |job: &&queue_core::JobMeta| {
            let is_absent = job.lease.as_ref().is_some_and(|lease| !present.contains(&lease.worker));
            let is_old = job.claimed_at.is_some_and(|at| facts.time.now.since(at) > HELD_BY_NOBODY_MIN);
            is_absent && is_old && !job.is_lapsed(facts.time.now)
        };
        let lost = queue.held.iter().filter(is_lost).count();
        (lost > 0).then(|| format!("has {lost} running jobs whose holder is not among the workers"))
    });
    warning_of(
        CODE,
        found,
        "every running job is held by a worker that is present",
        "if the holder is gone, its leases lapse by themselves; programs that take jobs one by one (`dequeue`) hold jobs without \
         being listed, and then all is well",
    )
}

/// The library's own queues are left out: an idle election or an operation that no program goes on
/// with is a job that is due and waits for no worker of the user.
fn is_waiting_long(facts: &StoreFacts, queue: &QueueFacts) -> Option<Duration> {
    let waits = facts.time.now.since(queue.counts.oldest_due?);
    (waits > DUE_MAX && !queue.is_paused && !queue.name.is_reserved()).then_some(waits)
}

fn nobody_works(facts: &StoreFacts) -> Finding {
    const CODE: &str = "nobody-works";
    if facts.workers.is_none() {
        return Finding::unknown(
            CODE,
            "workers of this store do not announce themselves",
            "ask each of them",
        );
    }
    let found = facts.of_each_queue(|queue| {
        let waits = is_waiting_long(facts, queue)?;
        let nobody = facts.workers_of(&queue.name).next().is_none();
        nobody.then(|| format!("has jobs that have been due for {} and no worker", age(waits)))
    });
    warning_of(
        CODE,
        found,
        "every queue with due jobs has a worker",
        "see what waits with `queue --queue NAME list`, then start a worker of this queue, or cancel the jobs that are not needed",
    )
}

fn idle_workers(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let waits = is_waiting_long(facts, queue)?;
        let idle = facts.workers_of(&queue.name).filter(|worker| worker.has_room()).count();
        (idle > 0).then(|| {
            format!("has jobs that have been due for {}, and {idle} workers with free slots", age(waits))
        })
    });
    warning_of(
        "due-jobs-idle-workers",
        found,
        "no job waits beside a worker with free slots, in queues that are not paused",
        "see the events of these workers for errors of the store; under a rate limit, or if all waiting jobs are of a limited kind, \
         this is as it should be",
    )
}

fn unhandled_kinds(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let workers: Vec<&WorkerFacts> = facts.workers_of(&queue.name).collect();
        if workers.is_empty() {
            return None;
        }
        let is_known = |kind: &str| {
            let knows = |worker: &&WorkerFacts| {
                worker.kinds().is_none_or(|kinds| kinds.iter().any(|known| known == kind))
            };
            workers.iter().any(knows)
        };
        let kinds = queue.due_kinds.iter().filter(|kind| !kind.is_reserved());
        let unknown: Vec<String> = kinds
            .filter(|kind| !is_known(kind.as_str()))
            .map(|kind| format!("{:?}", kind.as_str()))
            .collect();
        (!unknown.is_empty())
            .then(|| format!("waits with kinds that no worker handles: {}", unknown.join(", ")))
    });
    warning_of(
        "kinds-unhandled",
        found,
        "no waiting job is of a kind that its workers do not handle",
        "deploy the worker that handles the kind, or let the kind's producer stop: an unknown kind is a failed attempt",
    )
}

fn paused(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let waits = facts.time.now.since(queue.counts.oldest_due?);
        (queue.is_paused && waits > PAUSE_MAX)
            .then(|| format!("is paused, and its oldest job has been due for {}", age(waits)))
    });
    warning_of(
        "queue-paused-long",
        found,
        "no paused queue has jobs that have been due for a day",
        "resume it (`queue resume`), or remove its jobs if nobody needs them",
    )
}

fn failed_share(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let (failed, completed) = (queue.failed_lately, queue.completed_lately);
        let is_high = failed >= FAILURES_MIN && failed * 100 > (failed + completed) * FAILED_PERCENT_MAX;
        let beside = match completed {
            0 => "no completed one of that time is kept to compare with".to_owned(),
            _ => format!("{completed} completed ones are kept"),
        };
        is_high.then(|| format!("has {failed} or more jobs that failed in the last hour; {beside}"))
    });
    warning_of(
        "failed-share",
        found,
        "no queue has many failed jobs of the last hour",
        "see why with `queue errors`; once the cause is gone, `queue redrive` runs them again",
    )
}

fn kept_for_ever(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let [looked_at, for_ever] = queue.kept;
        let terminal = State::ALL.into_iter().filter(|state| state.is_terminal());
        let records: u64 = terminal.map(|state| queue.counts.of(state)).sum();
        (for_ever * 2 > looked_at).then(|| {
            format!("keeps {records} finished records, of the newest {looked_at} {for_ever} for ever")
        })
    });
    warning_of(
        "kept-for-ever",
        found,
        "no queue gathers records for ever",
        "give the jobs a retention (`Keep`), and remove what is there with `queue prune --finished-before`",
    )
}
