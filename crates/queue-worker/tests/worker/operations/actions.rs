//! What each action does to a job, whenever the runner dies.

use super::setup::{Given, counts, tests};
use crate::support::{id, job};
use queue_core::{Kind, Retention, Span, State, lifecycle::Event};
use queue_view::Standing;
use queue_worker::operations::{Action, SpecError};

/// Longer than all deaths take.
const DAY: Span = Span::from_secs(86_400);
/// How many calls of the runner are tried as its last one: more than an operation of one page
/// makes.
const CALLS: i64 = 14;

/// Runs the operation with a runner that dies at each claim with the call of this number.
async fn run_dying(given: &Given, calls: i64) {
    let mut deaths = 0;
    while given.step(calls + deaths / 4).await {
        deaths += 1;
        assert!(deaths < 1000, "it comes to its end");
    }
}

#[tokio::test]
async fn retained_jobs_are_kept_as_long_as_was_asked_whenever_the_runner_dies() {
    for (calls, keep) in (1..CALLS).zip([Retention::Forever, Retention::Keep(DAY)].into_iter().cycle()) {
        let given = Given::new();
        for n in 0..5 {
            given
                .put(job(&format!("completed-{n}"), 0).with_retention(Retention::Keep(Span::from_secs(3600))))
                .await;
        }
        given.complete_all().await;
        let before = given.jobs().await;
        let spec = given.spec(Action::Retain(keep), &[Standing::Completed]).await;
        given.begin(&spec).await;
        let changed_from = given.now();
        run_dying(&given, calls).await;
        let (state, progress) = given.ended().await;
        assert_eq!((state, progress.counts), (State::Completed, counts(5, 0, 0)), "killed at call {calls}");
        for (name, job) in given.jobs().await {
            assert_eq!(
                job.revision,
                before[&name].revision + 1,
                "{name} is changed once, killed at call {calls}"
            );
            match keep {
                Retention::Keep(span) => {
                    let purged = job.purge_at.expect("it is kept for a time");
                    let counted = changed_from + span <= purged && purged <= given.now() + span;
                    assert!(counted, "the time counts from the change: {purged}");
                }
                _ => assert_eq!(job.purge_at, None),
            }
        }
    }
}

/// A retention that another caller has changed leaves the job at the revision of the operation's
/// own change, so only a job that moved twice shows that it was another.
#[tokio::test]
async fn a_job_that_was_retained_twice_by_others_is_skipped() {
    let given = Given::new();
    for name in ["a", "b"] {
        given.put(job(name, 0)).await;
    }
    given.complete_all().await;
    let spec = given.spec(Action::Retain(Retention::Forever), &[Standing::Completed]).await;
    given.begin(&spec).await;
    // The page is stored, and its holder dies before it sends a change.
    given.step(3).await;
    for span in [1, 2] {
        given.change(&tests(), &id("a"), Event::SetRetention(Retention::Keep(Span::from_secs(span)))).await;
    }
    assert_eq!(given.run().await.1.counts, counts(1, 1, 0));
    assert_eq!(given.jobs().await["b"].purge_at, None);
}

#[tokio::test]
async fn what_is_promoted_is_due_and_what_is_not_named_waits_whenever_the_runner_dies() {
    let later = Span::from_secs(1_000_000);
    for calls in 1..CALLS {
        let given = Given::new();
        given.put_failing(2, later).await;
        for n in 0..3 {
            given.put(job(&format!("later-{n}"), 0).with_delay(later)).await;
        }
        given.put(job("parked", 0).with_delay(Span::MAX)).await;
        let spec = given.spec(Action::Promote, &[Standing::Parked, Standing::Failing]).await;
        given.begin(&spec).await;
        run_dying(&given, calls).await;
        let (state, progress) = given.ended().await;
        assert_eq!((state, progress.counts), (State::Completed, counts(3, 0, 0)), "killed at call {calls}");
        for (name, job) in given.jobs().await {
            assert_eq!(job.run_at > given.now(), name.starts_with("later"), "{name}, killed at call {calls}");
        }
        let mut started: Vec<_> = given.claim(&tests(), 10).await;
        started.sort_by_key(|held| held.record.meta.id.to_string());
        let ids: Vec<_> = started.iter().map(|held| held.record.meta.id.as_str()).collect();
        assert_eq!(ids, ["failing-0", "failing-1", "parked"]);
        assert_eq!(started[0].record.meta.failures, 1, "a promotion forgives nothing");
    }
}

#[tokio::test]
async fn schedules_are_not_met_and_their_kind_cannot_be_named() {
    let schedules = Kind::from_static("queue.schedule");
    let later = Span::from_secs(1_000);
    let given = Given::new();
    let mut schedule = job("nightly", 0).with_delay(later);
    schedule.kind = schedules.clone();
    given.put(schedule).await;
    given.put(job("later", 0).with_delay(later)).await;
    let mut spec = given.spec(Action::Delete, &[Standing::Scheduled]).await;
    given.begin(&spec).await;
    assert_eq!(given.run().await.1.counts, counts(1, 0, 0));
    assert_eq!(given.jobs().await.keys().collect::<Vec<_>>(), ["nightly"]);
    spec.filter.kind = Some(schedules.clone());
    assert_eq!(spec.check(), Err(SpecError::ReservedKind { kind: schedules }));
}
