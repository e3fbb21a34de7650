//! When a follow-up is enqueued, and when it is not.

use super::{asking, assert_none, assert_tells, follow_up, follow_ups, mourn};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Budget, JobMeta, JobRecord, Kind, NewJob, Reason, Retention, State, StorageExt,
    lifecycle::{Cause, Event, OnProcessing, Unhandled},
};

cases! { "on_failure":
    what_was_asked_for_is_kept_with_the_job [I2];
    a_failure_that_spends_the_attempts_is_followed [I1 I8];
    a_failure_for_good_is_followed_whatever_its_cause [I1 I8];
    a_lapse_that_spends_the_stalls_is_followed_whoever_rescues [I1 I8 I15];
    a_job_that_keeps_nothing_is_followed_too [I1 I8];
    the_one_that_follows_is_a_plain_job_of_this_moment [I2 I12];
    it_tells_of_the_failure_and_can_be_claimed [I2 I13];
    texts_of_any_kind_are_told [I2 I13];
    attempts_that_are_retried_are_followed_by_nothing [I9 I23];
    what_ends_otherwise_is_followed_by_nothing [I9 I23];
    a_job_that_asked_for_nothing_is_followed_by_nothing [I23];
    it_comes_behind_what_the_holder_sends [I12 I19];
    a_follower_may_ask_for_one_too [I1 I8];
    a_redrive_keeps_what_was_asked_for [I1 I9];
    a_follow_up_may_fail_and_be_followed_by_nothing [I9 I23];
    what_was_asked_for_outlives_the_handle [I1 I21] (Reopen);
}

/// Every read shows it.
async fn what_was_asked_for_is_kept_with_the_job(bench: &Bench) {
    bench.put_job(asking("a")).await;
    bench.put("b").await;
    assert_eq!(bench.meta("a").await.terms.on_failure, Some(mourn()));
    let listed = bench.list(queue_core::ListQuery::all(bench.queue().clone(), 10)).await;
    let held = bench.claim(10).await;
    let of_claims = held.iter().map(|job| job.record.meta.terms.on_failure.clone());
    let of_list = listed.into_iter().map(|meta| meta.terms.on_failure.clone());
    assert_eq!(of_claims.chain(of_list).collect::<Vec<_>>(), [Some(mourn()), None, Some(mourn()), None]);
    assert_eq!(bench.fail(&held[0]).await.terms.on_failure, Some(mourn()));
}

/// The last attempt is followed.
async fn a_failure_that_spends_the_attempts_is_followed(bench: &Bench) {
    bench.put_job(asking("a").with_max_attempts(Budget::from_raw(3))).await;
    for n in 1..=3 {
        assert_none(bench).await;
        let meta = bench.fail(&bench.claim_one().await).await;
        assert_eq!(meta.failures, n);
        bench.advance(RETRY);
    }
    let failed = bench.meta("a").await;
    assert_eq!(failed.reason, Some(Reason::Exhausted));
    assert_tells(&follow_up(bench).await, &failed);
}

/// The policy belongs to the sender.
async fn a_failure_for_good_is_followed_whatever_its_cause(bench: &Bench) {
    let strict = policy().unknown_kind(Unhandled::Fail).undecodable(Unhandled::Fail);
    let reasons = [
        (Cause::Terminal, Reason::Terminal),
        (Cause::UnknownKind, Reason::UnknownKind),
        (Cause::Undecodable, Reason::Undecodable),
    ];
    for (cause, reason) in reasons {
        bench.put_job(asking("a")).await;
        let held = bench.claim_one().await;
        let event = fail_because(held.token, cause);
        bench.store().settle(&held.record.meta, event, &strict).await.expect("settle answers");
        let failed = bench.meta("a").await;
        assert_eq!(failed.reason, Some(reason));
        assert_tells(&follow_up(bench).await, &failed);
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// The holder has crashed, and the rescuer does not know the job.
async fn a_lapse_that_spends_the_stalls_is_followed_whoever_rescues(bench: &Bench) {
    bench.put_job(asking("a").with_max_stalls(Budget::from_raw(2))).await;
    for _ in 0..2 {
        assert_none(bench).await;
        bench.claim_one().await;
        bench.advance(LEASE);
        assert_eq!(bench.rescue().await.len(), 1);
    }
    let failed = bench.meta("a").await;
    assert_eq!((failed.reason, failed.stalls), (Some(Reason::Stalled), 2));
    let found = follow_up(bench).await;
    assert_tells(&found, &failed);
    assert_eq!(super::failed_job(&found).error_name, "Stalled");
}

/// The follow-up's payload is all that is left of the job.
async fn a_job_that_keeps_nothing_is_followed_too(bench: &Bench) {
    bench.put_job(asking("a").with_retention(Retention::Remove)).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    assert_eq!(bench.state("a").await, None);
    assert_eq!(super::failed_job(&follow_up(bench).await).id, "a");
    bench.prune(queue_core::Prune::Everything, 10).await;
    bench.put_job(asking("b").with_retention(Retention::Remove).with_max_stalls(Budget::from_raw(1))).await;
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    assert_eq!(bench.state("b").await, None);
    assert_eq!(super::failed_job(&follow_up(bench).await).reason, Reason::Stalled.as_str());
}

async fn the_one_that_follows_is_a_plain_job_of_this_moment(bench: &Bench) {
    bench.put_job(asking("a").with_priority(9).awaited()).await;
    let held = bench.claim_one().await;
    bench.advance(MILLI);
    bench.fail_terminally(&held).await;
    let JobRecord { meta, body } = follow_up(bench).await;
    let new = NewJob::new(meta.id.clone(), mourn(), body.expect("asked for").payload);
    assert_eq!(meta, JobMeta::begin(bench.queue().clone(), &new, meta.seq, bench.now()));
    assert!(meta.seq > held.record.meta.seq, "{meta:?} follows {held:?}");
}

async fn it_tells_of_the_failure_and_can_be_claimed(bench: &Bench) {
    bench.put_job(asking("a")).await;
    let failed = bench.fail_terminally(&bench.claim_one().await).await;
    let held = bench.claim_one().await;
    assert_tells(&held.record, &failed);
    assert_eq!(bench.complete(&held).await.state, State::Completed);
    assert_eq!(bench.state("a").await, Some(State::Failed));
}

/// The failure's text and the job's id may be any text.
async fn texts_of_any_kind_are_told(bench: &Bench) {
    let text = "a \"b\" \\ \n {}: ü 日本 \u{1F980} \u{202E}";
    let name: String = text.chars().filter(|c| !c.is_control()).collect();
    let new = NewJob::new(id(&name), Kind::new(&name).expect("a kind"), text_payload("x"));
    bench.put_job(new.with_on_failure(mourn())).await;
    let held = bench.claim_one().await;
    let failure = queue_core::Failure::new(name.clone(), text).with_details("left where it is".into());
    let token = held.token;
    let cause = Cause::Terminal;
    let event = Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() };
    let failed = bench.settled(&held, event).await;
    assert_tells(&follow_up(bench).await, &failed);
}

/// The case covers failures, lapses, and uncharged ends.
async fn attempts_that_are_retried_are_followed_by_nothing(bench: &Bench) {
    bench.put_job(asking("a")).await;
    for settle in [fail, release, snooze, Event::interrupt] {
        let held = bench.claim_one().await;
        bench.settled(&held, settle(held.token)).await;
        bench.advance(RETRY);
    }
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    assert_none(bench).await;
    assert_eq!(bench.counts().await.total(), 1);
}

/// The jobs are completed, cancelled, expired, deleted and pruned.
async fn what_ends_otherwise_is_followed_by_nothing(bench: &Bench) {
    bench.put_job(asking("completed")).await;
    bench.complete(&bench.claim_one().await).await;
    for (text, settle) in [("failing", fail as fn(_) -> _), ("released", release), ("snoozed", snooze)] {
        bench.put_job(asking(text)).await;
        let held = bench.claim_one().await;
        bench.cancel(text).await;
        assert_eq!(bench.settled(&held, settle(held.token)).await.state, State::Cancelled);
    }
    bench.put_job(asking("stalled").with_max_stalls(Budget::from_raw(1))).await;
    bench.claim_one().await;
    bench.cancel("stalled").await;
    bench.advance(LEASE);
    assert_eq!(bench.rescue().await[0].state, State::Cancelled);
    bench.put_job(asking("expired").with_expires_in(RETRY)).await;
    bench.advance(RETRY);
    bench.changed("expired", Event::Expire { now: bench.now(), token: None }).await;
    bench.put_job(asking("cancelled")).await;
    bench.changed("cancelled", Event::Cancel { processing: OnProcessing::Leave }).await;
    bench.put_job(asking("deleted")).await;
    bench.changed("deleted", Event::Delete).await;
    assert_none(bench).await;
    bench.put_job(asking("pruned")).await;
    bench.prune(queue_core::Prune::Everything, 10).await;
    assert_eq!(bench.counts().await.total(), 0);
}

async fn a_job_that_asked_for_nothing_is_followed_by_nothing(bench: &Bench) {
    bench.fail_terminally(&bench.put_and_claim("a").await).await;
    bench.put_job(job("b").with_max_stalls(Budget::from_raw(1))).await;
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    assert_eq!(bench.counts().await.total(), 2);
}

/// Both are enqueued in one step.
async fn it_comes_behind_what_the_holder_sends(bench: &Bench) {
    bench.put_job(asking("a")).await;
    let held = bench.claim_one().await;
    let failed = bench.settled(&held, fail_for_good_then(held.token, vec![job("z"), job("b")])).await;
    let follow_up = queue_core::FailedJob::follow_up_id(&failed).to_string();
    assert_eq!(bench.claim_ids(10).await, ["z", "b", &follow_up]);
}

async fn a_follower_may_ask_for_one_too(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, snooze_then(held.token, vec![asking("next")])).await;
    assert_eq!(bench.meta("next").await.terms.on_failure, Some(mourn()));
    let failed = bench.fail_terminally(&bench.claim_one().await).await;
    assert_tells(&follow_up(bench).await, &failed);
}

/// A second final failure makes a second follow-up.
async fn a_redrive_keeps_what_was_asked_for(bench: &Bench) {
    bench.put_job(asking("a").with_priority(-1)).await;
    let mut ids = Vec::new();
    for n in 1..=3 {
        let failed = bench.fail_terminally(&bench.claim_one().await).await;
        ids.push(queue_core::FailedJob::follow_up_id(&failed));
        let found: Vec<_> = follow_ups(bench).await.into_iter().map(|meta| meta.id).collect();
        assert_eq!((&found, found.len()), (&ids, n));
        assert_tells(&bench.record(ids[n - 1].as_str()).await, &failed);
        bench.changed("a", Event::Redrive { content_type: None }).await;
    }
}

/// Otherwise the chain would never end.
async fn a_follow_up_may_fail_and_be_followed_by_nothing(bench: &Bench) {
    bench.put_job(asking("a")).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    let failed = bench.fail_terminally(&bench.claim_one().await).await;
    assert_eq!((failed.kind, failed.terms.on_failure.as_ref()), (mourn(), None));
    assert_eq!(bench.counts().await.total(), 2);
}

/// The follow-up survives too.
async fn what_was_asked_for_outlives_the_handle(bench: &Bench) {
    bench.put_job(asking("a").with_max_attempts(Budget::from_raw(2)).with_time_limit(RETRY)).await;
    bench.put("b").await;
    bench.reopen().await;
    assert_eq!(bench.meta("b").await.terms.on_failure, None);
    for _ in 0..2 {
        let held = bench.claim_one().await;
        assert_eq!(held.record.meta.terms.on_failure, Some(mourn()));
        bench.reopen().await;
        bench.fail(&held).await;
        bench.changed("b", Event::Reschedule { delay: KEPT }).await;
        bench.advance(RETRY);
        bench.reopen().await;
    }
    assert_tells(&follow_up(bench).await, &bench.meta("a").await);
}
