//! Several replacements in one call, and replacements by followers.

use super::{debounced, replacing};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Applied, Enqueued, NewJob, OnWaiting, State,
    lifecycle::{Event, Transition},
};

cases! { "replace":
    the_last_of_a_group_is_what_waits [I9 I19];
    the_last_of_several_groups_is_what_waits [I9 I19];
    each_of_them_is_answered_with_a_life_of_its_own [I9 I12];
    five_hundred_of_one_id_in_one_call_leave_one_job [I9 I20];
    a_group_over_waiting_jobs_is_stored_whole [I9 I19];
    the_first_of_a_call_is_what_the_bound_counts_from [I11];
    one_that_blocks_between_two_that_replace_is_a_duplicate [I9];
    a_follower_may_take_the_place_of_a_waiting_job [I9 I20];
    a_follower_over_a_running_job_is_left_out [I3 I9];
    two_followers_of_one_id_leave_the_later [I9];
    a_follower_is_enqueued_over_what_stood_before_in_its_batch [I9 I19];
    a_change_behind_a_follower_that_took_the_place_of_its_job_is_missing [I4 I19];
}

fn numbered(n: usize) -> NewJob {
    job_with("a", text_payload(&n.to_string())).with_on_waiting(OnWaiting::Replace { max_wait: None })
}

async fn assert_waits(bench: &Bench, payload: &str) {
    let held = bench.claim(10).await;
    let found: Vec<_> = held.iter().map(|job| job.record.body.clone().expect("given").payload).collect();
    assert_eq!(found, [text_payload(payload)]);
    assert_eq!(bench.counts().await.total(), 1);
}

fn seqs(answers: &[Enqueued]) -> Vec<queue_core::Seq> {
    assert!(answers.iter().all(Enqueued::is_new), "{answers:?}");
    let seqs: Vec<_> = answers.iter().map(life).collect();
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
    seqs
}

/// The id was free or taken before.
async fn the_last_of_a_group_is_what_waits(bench: &Bench) {
    for is_present in [false, true] {
        if is_present {
            bench.put("a").await;
        }
        let answers = bench.enqueue_groups(vec![vec![numbered(1), numbered(2), numbered(3)]]).await;
        let last = seqs(&answers[0])[2];
        assert_eq!(bench.meta("a").await.seq, last);
        assert_waits(bench, "3").await;
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

async fn the_last_of_several_groups_is_what_waits(bench: &Bench) {
    for is_present in [false, true] {
        if is_present {
            bench.put("a").await;
        }
        let groups = (0..4).map(|n| vec![numbered(n)]).collect();
        let answers = bench.enqueue_groups(groups).await.concat();
        assert_eq!(bench.meta("a").await.seq, seqs(&answers)[3]);
        assert_waits(bench, "3").await;
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// The lives are in the order of the call, with the other jobs between them.
async fn each_of_them_is_answered_with_a_life_of_its_own(bench: &Bench) {
    bench.put("a").await;
    let groups =
        vec![vec![replacing("a"), job("b")], vec![replacing("a"), replacing("c")], vec![replacing("a")]];
    seqs(&bench.enqueue_groups(groups).await.concat());
    assert_eq!(bench.claim_ids(10).await, ["b", "c", "a"]);
}

/// This is the most expensive way to enqueue one job.
async fn five_hundred_of_one_id_in_one_call_leave_one_job(bench: &Bench) {
    let groups = vec![(0..250).map(numbered).collect(), (250..500).map(numbered).collect()];
    seqs(&bench.enqueue_groups(groups).await.concat());
    assert_waits(bench, "499").await;
}

/// The group also has ids that are free, and ids that are taken.
async fn a_group_over_waiting_jobs_is_stored_whole(bench: &Bench) {
    bench.fail(&bench.put_and_claim("failing").await).await;
    bench.put_and_claim("running").await;
    bench.put("waiting").await;
    let group = ["waiting", "free", "running", "failing"].map(replacing).to_vec();
    let answers = bench.enqueue_groups(vec![group]).await.concat();
    assert_eq!(answers.iter().map(Enqueued::is_new).collect::<Vec<_>>(), [true, true, false, true]);
    assert_eq!(bench.claim_ids(10).await, ["waiting", "free", "failing"]);
}

/// All jobs of the call have one creation time, so the bound passes for none.
async fn the_first_of_a_call_is_what_the_bound_counts_from(bench: &Bench) {
    let begin = bench.now();
    bench.enqueue_groups(vec![vec![debounced("a", STALL, RETRY), debounced("a", STALL, RETRY)]]).await;
    let meta = bench.meta("a").await;
    assert_eq!((meta.run_at, meta.created_at), (begin + RETRY, begin));
}

/// Each job's own options decide.
async fn one_that_blocks_between_two_that_replace_is_a_duplicate(bench: &Bench) {
    let group = vec![numbered(1), job("a"), numbered(2)];
    let answers = bench.enqueue_groups(vec![group]).await.concat();
    let taken = Enqueued::Duplicate { seq: life(&answers[0]), state: State::Queued };
    assert_eq!((&answers[1], answers[2].is_new()), (&taken, true), "{answers:?}");
    assert_waits(bench, "2").await;
}

/// Followers follow the rule of ids of an enqueue.
async fn a_follower_may_take_the_place_of_a_waiting_job(bench: &Bench) {
    for settle in FOLLOWED {
        let held = bench.put_and_claim("parent").await;
        let former = bench.put_job(job("a").with_delay(KEPT)).await;
        let created_at = bench.now();
        bench.advance(MILLI);
        bench.settled(&held, settle(held.token, vec![numbered(1)])).await;
        let found = bench.record("a").await;
        assert!(found.meta.seq > former, "{:?} follows life {former}", found.meta);
        assert_eq!((found.meta.run_at, found.meta.created_at), (bench.now(), created_at));
        assert_eq!(found.body.expect("asked for").payload, text_payload("1"));
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// The holder keeps its lease, and the settle stands.
async fn a_follower_over_a_running_job_is_left_out(bench: &Bench) {
    bench.put_many(2).await;
    let held = bench.claim(2).await;
    let follower = replacing(nth(1).as_str());
    bench.settled(&held[0], complete_then(held[0].token, vec![follower])).await;
    assert_eq!(bench.record(nth(1).as_str()).await, held[1].record);
    bench.complete(&held[1]).await;
}

async fn two_followers_of_one_id_leave_the_later(bench: &Bench) {
    let held = bench.put_and_claim("parent").await;
    bench.settled(&held, snooze_then(held.token, vec![numbered(1), numbered(2)])).await;
    bench.changed("parent", Event::Delete).await;
    assert_waits(bench, "2").await;
}

/// The transitions of a batch are applied one after the other.
async fn a_follower_is_enqueued_over_what_stood_before_in_its_batch(bench: &Bench) {
    bench.put_many(2).await;
    let held = bench.claim(2).await;
    let settle = |n: usize, event: Event| decided(&held[n].record.meta, event);
    let batch = vec![
        settle(0, release(held[0].token)),
        settle(1, complete_then(held[1].token, vec![replacing(nth(0).as_str()).with_delay(KEPT)])),
    ];
    assert_done!(bench.apply_all(batch).await);
    let meta = bench.meta(nth(0).as_str()).await;
    assert!(meta.seq > held[0].record.meta.seq && meta.run_at == bench.now() + KEPT, "{meta:?}");
    bench.assert_nothing_due().await;
}

/// The life has ended by then.
async fn a_change_behind_a_follower_that_took_the_place_of_its_job_is_missing(bench: &Bench) {
    let held = bench.put_and_claim("parent").await;
    bench.put("a").await;
    let promote = decided(&bench.meta("a").await, Event::Promote);
    let settle = decided(&held.record.meta, complete_then(held.token, vec![numbered(1)]));
    let answers = bench.apply_all(vec![settle, Transition { then: vec![job("b")], ..promote }]).await;
    assert_done!(answers[..1]);
    assert_eq!(answers[1], Applied::Missing);
    assert_eq!(bench.state("b").await, None);
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}
