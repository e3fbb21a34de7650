//! What claims give while kinds are paused, and after that.

use super::{claimed, kind, of_kind, pause, put_in_turn, resume, stop, stop_for};
use crate::{
    bench::prelude::*,
    cases::{
        cases,
        events::listen::{subscribe, woken},
    },
};
use queue_core::{Interest, Pause, PausedKind, Span, State};

cases! { "kind_pause":
    jobs_of_a_paused_kind_are_left_and_others_go_on_in_order [I1 I12] (Pause);
    a_claim_names_the_kinds_that_are_paused [I1] (Pause);
    what_a_full_worker_gives_back_of_a_paused_kind_waits_in_its_place [I1 I12] (Pause);
    a_resumed_kind_goes_on_in_claim_order [I12 I15] (Pause);
    a_pause_of_a_kind_is_over_on_its_millisecond [I1 I15] (Pause);
    a_claim_tells_when_the_pause_of_a_waiting_kind_ends [I15] (Pause);
    pausing_and_resuming_again_and_again_loses_no_order [I12] (Pause);
    jobs_that_come_while_their_kind_is_paused_wait_too [I1 I11] (Pause);
    pausing_a_kind_is_about_one_queue_and_one_kind [I16] (Pause);
    a_paused_queue_has_paused_kinds_too [I1] (Pause);
    pausing_and_resuming_a_kind_wakes [I15] (Pause Hints);
    a_pause_of_a_kind_holds_for_every_handle [I1] (Pause SecondHandle);
}

async fn jobs_of_a_paused_kind_are_left_and_others_go_on_in_order(bench: &Bench) {
    put_in_turn(bench, 6).await;
    stop(bench, "mail").await;
    assert_eq!(bench.claim_ids(2).await, ["r1", "r3"]);
    assert_eq!(bench.claim_ids(9).await, ["r5"]);
    bench.put_job(of_kind("report", "r6").with_priority(-1)).await;
    assert_eq!(bench.claim_ids(9).await, ["r6"]);
    assert_eq!(bench.state("m0").await, Some(State::Queued));
}

async fn a_claim_names_the_kinds_that_are_paused(bench: &Bench) {
    assert_eq!(claimed(bench, 1).await.paused_kinds, []);
    let end = stop_for(bench, "report", 1_000).await;
    stop(bench, "mail").await;
    bench.put("another").await;
    let mail = PausedKind { kind: kind("mail"), pause: Pause::UntilResumed };
    let report = PausedKind { kind: kind("report"), pause: Pause::Until(end) };
    for limit in [0, 1, 1] {
        assert_eq!(claimed(bench, limit).await.paused_kinds, [mail.clone(), report.clone()]);
    }
    resume(bench, "mail").await;
    bench.advance(Span::from_secs(1));
    assert_eq!(claimed(bench, 1).await.paused_kinds, []);
}

/// A worker without room asks for no jobs with its heartbeats, and learns of the kind.
async fn what_a_full_worker_gives_back_of_a_paused_kind_waits_in_its_place(bench: &Bench) {
    put_in_turn(bench, 4).await;
    let held = bench.claim(4).await;
    stop(bench, "mail").await;
    let told = claimed(bench, 0).await;
    assert_eq!(told.paused_kinds, [PausedKind { kind: kind("mail"), pause: Pause::UntilResumed }]);
    for job in &held {
        bench.release(job).await;
    }
    assert_eq!(bench.claim_ids(1).await, ["r1"], "the other kind goes on");
    resume(bench, "mail").await;
    assert_eq!(claimed(bench, 0).await.paused_kinds, []);
    assert_eq!(bench.claim_ids(9).await, ["m0", "m2", "r3"]);
}

/// By priority, then due time, then life, whether a claim has met a job meanwhile or not.
async fn a_resumed_kind_goes_on_in_claim_order(bench: &Bench) {
    put_in_turn(bench, 6).await;
    bench.put_job(of_kind("mail", "urgent").with_priority(-5)).await;
    bench.put_job(of_kind("report", "late").with_priority(5)).await;
    stop(bench, "mail").await;
    assert_eq!(bench.claim_ids(1).await, ["r1"], "the jobs of the kind in front are set aside");
    bench.put_job(of_kind("mail", "m6")).await;
    resume(bench, "mail").await;
    assert_eq!(bench.claim_ids(3).await, ["urgent", "m0", "m2"]);
    assert_eq!(bench.claim_ids(9).await, ["r3", "m4", "r5", "m6", "late"]);
}

async fn a_pause_of_a_kind_is_over_on_its_millisecond(bench: &Bench) {
    put_in_turn(bench, 2).await;
    stop_for(bench, "mail", 1_000).await;
    assert_eq!(bench.claim_ids(9).await, ["r1"]);
    bench.advance(Span::from_millis(999));
    assert_eq!(bench.claim(9).await.len(), 0, "a millisecond before the end");
    bench.advance(MILLI);
    assert_eq!(bench.claim_ids(9).await, ["m0"]);
}

/// A worker sleeps until then, and not for less: it would turn in circles.
async fn a_claim_tells_when_the_pause_of_a_waiting_kind_ends(bench: &Bench) {
    bench.put_job(of_kind("mail", "m")).await;
    let end = stop_for(bench, "mail", 1_000).await;
    // The first claim sets the job aside, and knows as much as those that come after it.
    for limit in [1, 0, 1] {
        let answer = claimed(bench, limit).await;
        assert_eq!((answer.jobs.len(), answer.next_due), (0, Some(end)));
    }
    stop(bench, "mail").await;
    for limit in [0, 1] {
        assert_eq!(claimed(bench, limit).await.next_due, None, "nobody knows when");
    }
    resume(bench, "mail").await;
    let now = claimed(bench, 0).await;
    assert!(now.next_due.is_some_and(|due| due <= now.now), "{now:?}");
}

async fn pausing_and_resuming_again_and_again_loses_no_order(bench: &Bench) {
    put_in_turn(bench, 12).await;
    let mut got = Vec::new();
    for _ in 0..4 {
        stop(bench, "mail").await;
        got.extend(bench.claim_ids(1).await);
        stop(bench, "report").await;
        resume(bench, "mail").await;
        got.extend(bench.claim_ids(1).await);
        resume(bench, "report").await;
    }
    assert_eq!(got, ["r1", "m0", "r3", "m2", "r5", "m4", "r7", "m6"]);
    assert_eq!(bench.claim_ids(9).await, ["m8", "r9", "m10", "r11"]);
}

async fn jobs_that_come_while_their_kind_is_paused_wait_too(bench: &Bench) {
    put_in_turn(bench, 2).await;
    let [first, other] = <[_; 2]>::try_from(bench.claim(2).await).expect("two");
    bench.put_job(of_kind("mail", "delayed").with_delay(Span::from_secs(1))).await;
    stop(bench, "mail").await;
    bench.put_job(of_kind("mail", "fresh")).await;
    bench.release(&first).await;
    bench.complete(&other).await;
    assert_eq!(bench.claim(9).await.len(), 0);
    bench.advance(Span::from_secs(1));
    assert_eq!(bench.claim(9).await.len(), 0);
    bench.put_job(of_kind("mail", "newest")).await;
    resume(bench, "mail").await;
    assert_eq!(bench.claim_ids(9).await, ["m0", "fresh", "delayed", "newest"]);
}

async fn pausing_a_kind_is_about_one_queue_and_one_kind(bench: &Bench) {
    let other = bench.on_queue("other");
    for bench in [bench, &other] {
        bench.put_job(of_kind("mail", "m")).await;
        bench.put_job(of_kind("mailing", "longer")).await;
    }
    stop(bench, "mail").await;
    assert_eq!(other.claim_ids(9).await, ["m", "longer"]);
    assert_eq!(bench.claim_ids(9).await, ["longer"]);
    resume(&other, "mail").await;
    assert_eq!(bench.claim(9).await.len(), 0);
}

async fn a_paused_queue_has_paused_kinds_too(bench: &Bench) {
    put_in_turn(bench, 2).await;
    stop(bench, "mail").await;
    bench.store().set_paused(bench.queue(), None, Pause::UntilResumed).await.expect("it pauses");
    assert_eq!(bench.claim(9).await.len(), 0);
    bench.store().set_paused(bench.queue(), None, Pause::Off).await.expect("it resumes");
    assert_eq!(bench.claim_ids(9).await, ["r1"], "the kind is paused as before");
}

async fn pausing_and_resuming_a_kind_wakes(bench: &Bench) {
    for paused in [Pause::UntilResumed, Pause::Off] {
        let mut stream = subscribe(bench, Interest::Wake).await;
        pause(bench, "mail", paused).await;
        woken(&mut stream).await;
    }
}

async fn a_pause_of_a_kind_holds_for_every_handle(bench: &Bench) {
    let other = bench.second().await;
    put_in_turn(bench, 4).await;
    stop(&other, "mail").await;
    assert_eq!(bench.claim_ids(9).await, ["r1", "r3"]);
    assert_eq!(other.claim(9).await.len(), 0);
    resume(bench, "mail").await;
    assert_eq!(other.claim_ids(9).await, ["m0", "m2"]);
}
