//! Operations on the memory store, call by call: what they meet, and what a death leaves.

mod actions;
mod meanwhile;
mod setup;

use crate::support::{id, job};
use queue_core::{
    Retention, Span, State, Timestamp, UnreadableWaits,
    lifecycle::{Cause, Event, OnProcessing},
};
use queue_view::{JobFilter, Standing};
use queue_worker::{
    ReservedJob, handle_reserved,
    operations::{Action, DRY_RUN_MAX, OperationSpec, count_members},
};
use setup::{Given, counts, operations, tests};
use std::sync::atomic::Ordering;

/// The holder is killed at each call in turn, again and again, before or after the call has done
/// its work; meanwhile jobs that were redriven fail again. Every job is redriven once.
#[tokio::test]
async fn whenever_its_runner_dies_each_job_is_changed_once_and_the_counts_add_up() {
    for calls in 1..40 {
        let given = Given::new();
        given.put_failed(30).await;
        let before = given.jobs().await;
        let spec = given.spec(Action::REDRIVE, &[Standing::Failed]).await;
        given.begin(&spec).await;
        let mut deaths = 0;
        while given.step(calls + deaths / 4).await {
            deaths += 1;
            assert!(deaths < 1000, "it comes to its end");
            given.fail_all().await;
        }
        let (state, progress) = given.ended().await;
        assert_eq!((state, progress.counts), (State::Completed, counts(30, 0, 0)), "killed at call {calls}");
        given.fail_all().await;
        for (name, job) in given.jobs().await {
            // A redrive, a claim and a failure.
            let [once, now] = [before[&name].revision + 3, job.revision];
            assert_eq!((job.state, now), (State::Failed, once), "{name}, killed at call {calls}");
        }
    }
}

/// Whether it goes through them by the time of their state or, for several states, by number.
#[tokio::test]
async fn only_jobs_of_its_beginning_are_met() {
    let by_number = [Standing::Failed, Standing::Cancelled];
    for standings in [&by_number[..1], &by_number] {
        let given = Given::new();
        given.put_failed(2).await;
        given.put(job("runs", 0)).await;
        let held = given.claim(&tests(), 1).await.pop().expect("one is due");
        let spec = given.spec(Action::REDRIVE, standings).await;
        given.begin(&spec).await;
        let failure = queue_core::Failure::new("Io", "disk");
        let (token, cause) = (held.token, Cause::Terminal);
        let event = Event::Fail { token, failure, cause, delay: None, retention: None, then: vec![] };
        given.settle(&held, event).await;
        assert_eq!(given.run().await.1.counts, counts(2, 0, 0));
        assert_eq!(given.jobs().await["runs"].state, State::Failed, "it failed after the beginning");
    }
}

#[tokio::test]
async fn jobs_that_wait_for_their_time_are_left_alone_unless_they_are_named() {
    let (later, parked) = (Span::from_secs(60), Span::MAX);
    for (standings, met) in [
        (&[Standing::Due][..], &["due"][..]),
        (&[Standing::Scheduled], &["later", "parked"]),
        (&[Standing::Parked], &["parked"]),
        (&[Standing::Due, Standing::Parked], &["due", "parked"]),
    ] {
        let given = Given::new();
        given.put(job("due", 0)).await;
        given.put(job("later", 0).with_delay(later)).await;
        given.put(job("parked", 0).with_delay(parked)).await;
        let action = Action::Cancel { processing: OnProcessing::Leave };
        let spec = given.spec(action, standings).await;
        given.begin(&spec).await;
        assert_eq!(given.run().await.1.counts.done, met.len() as u64);
        for (name, job) in given.jobs().await {
            assert_eq!(job.state == State::Cancelled, met.contains(&&*name), "{name} of {standings:?}");
        }
    }
}

#[tokio::test]
async fn a_job_that_moves_between_its_page_and_its_change_is_skipped() {
    let given = Given::new();
    given.put_failed(3).await;
    let spec = given.spec(Action::REDRIVE, &[Standing::Failed]).await;
    given.begin(&spec).await;
    // The page is stored, and its holder dies before it sends a change.
    given.step(3).await;
    assert_eq!(given.ended().await.1.in_flight(), 3);
    given.change(&tests(), &id("failed-1"), Event::SetRetention(Retention::Forever)).await;
    assert_eq!(given.run().await.1.counts, counts(2, 1, 0));
}

#[tokio::test]
async fn it_ends_at_its_bound_and_says_so() {
    let given = Given::new();
    given.put_failed(5).await;
    let mut spec = given.spec(Action::Delete, &[Standing::Failed]).await;
    spec.jobs_max = 3;
    given.begin(&spec).await;
    let (state, progress) = given.run().await;
    assert_eq!((state, progress.counts, progress.is_cut), (State::Completed, counts(3, 0, 0), true));
    assert_eq!(given.jobs().await.len(), 2);
}

#[tokio::test]
async fn one_that_is_cancelled_keeps_its_counts() {
    let given = Given::new();
    given.put_failed(3).await;
    let spec = given.spec(Action::Delete, &[Standing::Failed]).await;
    given.begin(&spec).await;
    given.step(3).await;
    let held = given.claim(&operations(), 1).await.pop().expect("it waits");
    given.change(&operations(), &id("operation"), Event::Cancel { processing: OnProcessing::Request }).await;
    let payload = &held.record.body.as_ref().expect("it was read").payload;
    let (meta, unreadable) = (&held.record.meta, &UnreadableWaits::default());
    let job = ReservedJob { meta, payload, token: held.token, unreadable };
    given.mortal.left.store(i64::MAX, Ordering::SeqCst);
    let outcome = handle_reserved(&given.mortal, job).await.expect("memory answers");
    given.settle(&held, outcome.event).await;
    let (state, progress) = given.ended().await;
    // The page that was under way is finished first, since some of it may be done.
    assert_eq!(progress.counts, counts(3, 0, 0));
    assert!(state.is_terminal());
}

#[tokio::test]
async fn long_ids_make_smaller_pages() {
    let given = Given::new();
    for n in 0..120 {
        given.put(job(&format!("{n:0>250}"), 0)).await;
    }
    let spec = given.spec(Action::Prioritize(7), &[Standing::Due]).await;
    given.begin(&spec).await;
    assert_eq!(given.run().await.1.counts, counts(120, 0, 0));
    assert!(given.jobs().await.values().all(|job| job.priority == 7));
}

#[tokio::test]
async fn a_dry_run_counts_what_would_be_met() {
    let given = Given::new();
    given.put_failed(4).await;
    given.put(job("queued", 0)).await;
    let spec = given.spec(Action::REDRIVE, &[Standing::Failed]).await;
    assert_eq!(count_members(given.store(), &spec, DRY_RUN_MAX).await.expect("memory lists"), 4);
    assert_eq!(
        count_members(given.store(), &spec, 2).await.expect("memory lists"),
        3,
        "one more says that there are more"
    );
}

#[test]
fn what_can_do_nothing_is_refused() {
    let spec = |action, standings: &[Standing]| {
        let filter = JobFilter::standing(standings.iter().copied());
        OperationSpec::new(tests(), filter, action, None, Timestamp::default())
    };
    spec(Action::REDRIVE, &[]).check().expect_err("it names no state");
    spec(Action::REDRIVE, &[Standing::Failed, Standing::Due]).check().expect_err("due is pointless");
    spec(Action::Delete, &[Standing::Processing]).check().expect_err("they run");
    let kept = spec(Action::Retain(Retention::Forever), &[Standing::Completed]);
    kept.check().expect("it can");
    let bytes = kept.job(id("a")).payload.bytes;
    assert_eq!(OperationSpec::from_bytes(&bytes), Ok(kept));
}
