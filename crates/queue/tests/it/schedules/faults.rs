//! Schedules on a store that is slow, loses answers, or is away: under a policy that skips none, no
//! tick is lost and none runs twice. Time is paused, and the store's clock is that of the runtime.

use super::{MINUTE, Report, report};
use crate::support::spawn;
use queue::{
    JobOptions, Keep, MemoryStorage, Queue, Storage, Timestamp,
    schedules::{Missed, Put, Schedule, ScheduleSpec, Tick, Timing},
    worker::{JobError, TokioClock, WorkerReport},
};
use queue_testkit::fault::{Fault, FaultPlan, FaultStore, StorageVerb};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{sync::watch, task::JoinHandle, time::sleep};

const SECOND: Duration = Duration::from_secs(1);
/// The calls that a tick is made of.
const CALLS: [StorageVerb; 3] = [StorageVerb::Claim, StorageVerb::Get, StorageVerb::Apply];
const ALL: Missed = Missed::All { max: 100_000 };
/// Long enough for lost leases to lapse and be rescued; it ends between two ticks.
const AFTERWARDS: Duration = Duration::from_millis(120_500);
/// Longer than a lease.
const TOO_LONG: Duration = Duration::from_secs(40);
const WORKERS: usize = 3;
/// The first reading of the clock.
const BEGINNING: Timestamp = Timestamp::from_millis(1_767_225_600_000);
/// More calls than are made before the store has healed.
const FOR_EVER: usize = 100_000;

/// A schedule, its jobs, and the faults between them and their store.
struct Sick {
    faults: Arc<FaultStore<MemoryStorage>>,
    /// The same store without faults.
    queue: Queue<Report, String>,
    faulty: Queue<Report, String>,
    /// The lives that ran, by id. Jobs leave no record, so an id that is enqueued twice has two
    /// lives.
    ran: Arc<Mutex<BTreeMap<String, BTreeSet<u64>>>>,
}

fn each(period: Duration, missed: Missed) -> Schedule<Report> {
    let options = JobOptions::new().keep(Keep::Nothing).unlimited_attempts().unlimited_stalls();
    Schedule::new("s", Timing::every(period).expect("valid"), report()).missed(missed).options(options)
}

impl Sick {
    async fn with(plan: FaultPlan, schedule: Schedule<Report>) -> Self {
        let memory = Arc::new(MemoryStorage::with_clock(Arc::new(TokioClock::default())));
        let faults = Arc::new(FaultStore::new(memory.clone(), plan));
        let on = |store: Arc<dyn Storage>| Queue::new(store, "reports").expect("a valid name");
        let sick = Self { queue: on(memory), faulty: on(faults.clone()), faults, ran: Arc::default() };
        assert_eq!(sick.queue.schedules().put(&schedule).await.expect("put"), Put::Created);
        sick
    }

    /// Runs several workers, while the store is faulty and after it has healed; returns the ticks
    /// that ran.
    async fn work(&self, harm: impl AsyncFnOnce()) -> Vec<String> {
        let (stop, stopped) = watch::channel(());
        let runs: Vec<_> = (0..WORKERS).map(|_| self.worker(stopped.clone())).collect();
        harm().await;
        self.faults.heal();
        sleep(AFTERWARDS).await;
        drop(stop);
        for run in runs {
            let report = run.await.expect("no panic");
            assert_eq!((report.failed, report.abandoned), (0, 0), "{report:?}");
        }
        let ran = self.ran.lock().expect("no handler panics");
        let twice: Vec<_> = ran.iter().filter(|(_, lives)| lives.len() > 1).collect();
        assert_eq!(twice, [], "ticks that were enqueued twice");
        ran.keys().cloned().collect()
    }

    fn worker(&self, mut stopped: watch::Receiver<()>) -> JoinHandle<WorkerReport> {
        let ran = self.ran.clone();
        let worker = self.faulty.work_with(move |_: Report, job| {
            let (id, seq) = (job.meta().id.to_string(), job.meta().seq.get());
            ran.lock().expect("no handler panics").entry(id).or_default().insert(seq);
            async move { Ok::<_, JobError>(String::new()) }
        });
        let worker = worker.build().expect("valid");
        spawn(worker.run_until(async move { drop(stopped.changed().await) }))
    }

    /// The ticks that the schedule has dealt with, run or not.
    async fn dealt_with(&self) -> Vec<String> {
        let status = self.queue.schedules().get("s").await.expect("read").expect("it goes on");
        ids(status.spec(), status.spec().since, Tick::at(status.dealt_until()))
    }
}

/// The ids of the ticks after one moment, up to another.
fn ids(spec: &ScheduleSpec, after: Timestamp, until: Tick) -> Vec<String> {
    let ticks = spec.timing.after(after).take_while(|tick| Tick::from(*tick) <= until);
    ticks.map(|tick| spec.tick_id(tick).expect("an id").to_string()).collect()
}

/// The case puts one fault, or several in a row, at each call of a tick.
#[tokio::test(start_paused = true)]
async fn whatever_happens_to_a_call_of_a_tick_no_tick_is_lost_and_none_comes_twice() {
    let faults =
        [Fault::Refuse, Fault::LoseRequest, Fault::LoseReply, Fault::Duplicate, Fault::Delay(5 * SECOND)];
    for verb in CALLS {
        for fault in faults.iter().filter(|fault| verb.is_idempotent() || !matches!(fault, Fault::Duplicate))
        {
            for calls in [1, 2, 5] {
                let sick = Sick::with(FaultPlan::new(1), each(SECOND, ALL)).await;
                let ran = sick
                    .work(async || {
                        for _ in 0..4 {
                            sleep(Duration::from_millis(2_500)).await;
                            sick.faults.next(verb, calls, fault);
                        }
                        sleep(10 * SECOND).await;
                    })
                    .await;
                assert_eq!(ran, sick.dealt_with().await, "{calls} of {verb:?}: {fault:?}");
                assert!(ran.len() > 100 && sick.faults.tally().of(fault.kind()) > 0, "{verb:?}: {fault:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_loses_calls_and_answers_and_outlasts_leases_loses_no_tick() {
    for seed in 0..20 {
        let plan = FaultPlan::new(seed)
            .one_in(6, StorageVerb::CORE, Fault::LoseRequest)
            .one_in(6, StorageVerb::CORE, Fault::LoseReply)
            .one_in(6, StorageVerb::CORE, Fault::Duplicate)
            .one_in(50, StorageVerb::CORE, Fault::Delay(TOO_LONG));
        let sick = Sick::with(plan, each(SECOND, ALL)).await;
        let ran = sick.work(async || sleep(3 * MINUTE).await).await;
        assert_eq!(ran, sick.dealt_with().await, "seed {seed}");
    }
}

/// Each call takes two seconds and a wake-up needs three: later than the next tick each time, but
/// within the grace of ten.
#[tokio::test(start_paused = true)]
async fn a_store_that_takes_two_seconds_for_each_call_loses_no_tick_of_a_schedule_of_seconds() {
    for missed in [Missed::default(), ALL] {
        let plan = FaultPlan::new(1).one_in(1, StorageVerb::CORE, Fault::Delay(2 * SECOND));
        let sick = Sick::with(plan, each(SECOND, missed)).await;
        let ran = sick.work(async || sleep(5 * MINUTE).await).await;
        assert_eq!(ran, sick.dealt_with().await, "{missed:?}");
        assert!(ran.len() > 300, "{missed:?}: {}", ran.len());
    }
}

/// The store is away from the fifth minute to the thirty-sixth: the last missed tick is later than
/// half the time to the next.
#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_for_three_ticks_runs_those_that_the_policy_says_once_each() {
    let ticks = ["s@2026-01-01T00:10:00Z", "s@2026-01-01T00:20:00Z", "s@2026-01-01T00:30:00Z"];
    for (missed, expected) in [(ALL, &ticks[..]), (Missed::Latest, &ticks[2..]), (Missed::default(), &[])] {
        let sick = Sick::with(FaultPlan::new(1), each(10 * MINUTE, missed)).await;
        let ran = sick
            .work(async || {
                sleep(5 * MINUTE).await;
                for verb in StorageVerb::ALL {
                    sick.faults.next(*verb, FOR_EVER, &Fault::Refuse);
                }
                sleep(31 * MINUTE).await;
            })
            .await;
        assert_eq!(ran, expected, "{missed:?}");
    }
}

/// The edit changes the schedule from each second to every other one, so the even seconds are ticks
/// of both.
#[tokio::test(start_paused = true)]
async fn an_edit_that_fails_half_way_is_repeated_and_no_tick_is_lost_or_comes_twice() {
    for verb in [StorageVerb::Get, StorageVerb::Apply] {
        for fault in [Fault::Refuse, Fault::LoseRequest, Fault::LoseReply, Fault::Delay(5 * SECOND)] {
            let sick = Sick::with(FaultPlan::new(1), each(SECOND, ALL)).await;
            let edited = each(2 * SECOND, ALL);
            let ran = sick
                .work(async || {
                    sleep(Duration::from_millis(10_500)).await;
                    sick.faults.next(verb, 2, &fault);
                    while sick.faulty.schedules().put(&edited).await.is_err() {
                        sleep(SECOND).await;
                    }
                })
                .await;
            let status = sick.queue.schedules().get("s").await.expect("read").expect("it goes on");
            let spec = status.spec();
            let mut before = spec.clone();
            before.timing = Timing::every(SECOND).expect("valid");
            let ids = ids(&before, BEGINNING, Tick::from(spec.since));
            let expected: BTreeSet<String> = ids.into_iter().chain(sick.dealt_with().await).collect();
            assert_eq!(ran, Vec::from_iter(expected), "{verb:?}: {fault:?}");
            assert_eq!(spec.timing, Timing::every(2 * SECOND).expect("valid"));
        }
    }
}
