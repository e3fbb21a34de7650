//! The size of one answer: no more bytes than asked for, and a second call gets what the first left
//! out.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    ClaimRequest, ClaimedJob, Detail, Enqueued, JobId, JobRecord, Limits, ListQuery, NewJob, Span, StorageExt,
};

cases! { "bounds":
    a_claim_stops_before_the_job_that_it_has_no_room_for [I12 I17];
    a_job_without_room_is_not_passed_over_for_a_smaller_one [I12 I17];
    a_claim_brings_one_job_whatever_its_size [I16 I17];
    a_job_that_was_left_out_is_not_touched [I3 I7 I20];
    a_claim_without_a_bound_of_its_own_brings_sixteen_mebibytes [I17];
    a_claim_that_comes_too_late_leases_nothing [I3 I23];
    a_claim_in_the_last_moment_is_in_time [I3];
    what_a_claim_holds_is_found_by_its_token [I3 I23];
    what_has_lapsed_is_still_held_and_what_was_rescued_is_not [I3 I23];
    what_is_held_is_listed_page_by_page [I20];
    a_token_that_was_used_twice_settles_the_lease_of_its_own_claim_alone [I4];
    reads_leave_out_the_bodies_that_they_have_no_room_for [I13 I17];
    metadata_is_never_left_out [I17];
    an_enqueue_leaves_out_the_results_that_it_has_no_room_for [I13 I17];
}

fn sized(n: usize, len: usize) -> NewJob {
    job_with(nth(n).as_str(), bytes_payload(vec![7; len]))
}

async fn put_sizes(bench: &Bench, sizes: &[usize]) {
    for (n, len) in sizes.iter().enumerate() {
        bench.put_job(sized(n, *len)).await;
    }
}

async fn claim_bytes(bench: &Bench, bytes_max: usize) -> (Vec<String>, bool) {
    let claimed = bench.send(ClaimRequest { bytes_max, ..bench.request(10) }).await;
    (ids_of(&claimed.jobs), claimed.next_due.is_some_and(|at| at <= claimed.now))
}

fn names(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    numbers.into_iter().map(|n| nth(n).to_string()).collect()
}

async fn held(bench: &Bench, claimed: &ClaimedJob) -> Vec<String> {
    bench.list_ids(ListQuery::held(bench.queue().clone(), claimed.token, 100)).await
}

fn limits(bench: &Bench) -> Limits {
    bench.store().capabilities().limits
}

/// The bound is exact to the byte, and the answer says that more is due.
async fn a_claim_stops_before_the_job_that_it_has_no_room_for(bench: &Bench) {
    put_sizes(bench, &[6, 4, 1]).await;
    assert_eq!(claim_bytes(bench, 10).await, (names([0, 1]), true));
    assert_eq!(claim_bytes(bench, 10).await.0, names([2]));
}

/// Otherwise a large job would wait for ever behind small ones.
async fn a_job_without_room_is_not_passed_over_for_a_smaller_one(bench: &Bench) {
    put_sizes(bench, &[6, 5, 1, 0]).await;
    assert_eq!(claim_bytes(bench, 10).await, (names([0]), true));
    assert_eq!(claim_bytes(bench, 10).await.0, names([1, 2, 3]));
}

/// A bound of zero brings one job too.
async fn a_claim_brings_one_job_whatever_its_size(bench: &Bench) {
    put_sizes(bench, &[20, 30]).await;
    assert_eq!(claim_bytes(bench, 10).await, (names([0]), true));
    assert_eq!(claim_bytes(bench, 0).await.0, names([1]));
}

/// The job has no lease, no new epoch and no charge.
async fn a_job_that_was_left_out_is_not_touched(bench: &Bench) {
    put_sizes(bench, &[8, 8]).await;
    let before = bench.record(nth(1).as_str()).await;
    claim_bytes(bench, 10).await;
    assert_eq!(bench.record(nth(1).as_str()).await, before);
    assert_eq!(bench.counts().await.of(queue_core::State::Queued), 1);
}

/// Seventeen of the largest payloads are one too many.
async fn a_claim_without_a_bound_of_its_own_brings_sixteen_mebibytes(bench: &Bench) {
    let len = limits(bench).payload_bytes_max;
    let fit = ClaimRequest::BYTES_MAX / len;
    put_sizes(bench, &vec![len; fit + 1]).await;
    assert_eq!(bench.claim(fit + 1).await.len(), fit);
}

/// By then the sender has stopped waiting, and sends another claim.
async fn a_claim_that_comes_too_late_leases_nothing(bench: &Bench) {
    bench.put("a").await;
    let late = ClaimRequest { not_after: Some(bench.now()), ..bench.request(1) };
    bench.advance(MILLI);
    let before = bench.record("a").await;
    let claimed = bench.send(late).await;
    assert_eq!((claimed.jobs.len(), claimed.next_due), (0, Some(claimed.now)));
    assert_eq!(bench.record("a").await, before);
    assert_eq!(bench.claim_ids(1).await, ["a"]);
    let elsewhere = bench.on_queue("empty");
    let late = ClaimRequest { not_after: Some(bench.now()), ..elsewhere.request(1) };
    bench.advance(MILLI);
    let claimed = bench.send(late).await;
    assert!(claimed.jobs.is_empty(), "{claimed:?}");
}

async fn a_claim_in_the_last_moment_is_in_time(bench: &Bench) {
    bench.put("a").await;
    let request = ClaimRequest { not_after: Some(bench.now()), ..bench.request(1) };
    assert_eq!(ids_of(&bench.send(request).await.jobs), ["a"]);
}

/// The listing contains exactly the held jobs.
async fn what_a_claim_holds_is_found_by_its_token(bench: &Bench) {
    bench.put_many(5).await;
    let (mine, theirs) = (bench.claim(3).await, bench.claim(2).await);
    assert_eq!(held(bench, &mine[0]).await, names([0, 1, 2]));
    assert_eq!(held(bench, &theirs[0]).await, names([3, 4]));
    bench.complete(&mine[1]).await;
    bench.release(&mine[2]).await;
    assert_eq!(held(bench, &mine[0]).await, names([0]));
    let again = bench.claim_one().await;
    assert_eq!(held(bench, &mine[0]).await, names([0]));
    assert_eq!(held(bench, &again).await, names([2]));
    let elsewhere = bench.on_queue("elsewhere");
    assert_eq!(held(&elsewhere, &mine[0]).await, names([]));
}

/// A lapsed job may still be settled under the token.
async fn what_has_lapsed_is_still_held_and_what_was_rescued_is_not(bench: &Bench) {
    let mine = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    assert_eq!(held(bench, &mine).await, ["a"]);
    bench.rescue().await;
    assert_eq!(held(bench, &mine).await, [""; 0]);
    let theirs = bench.claim_one().await;
    assert_eq!(held(bench, &mine).await, [""; 0]);
    assert_eq!(held(bench, &theirs).await, ["a"]);
}

/// The jobs are listed in the order of their lives, and other leases lie between them.
async fn what_is_held_is_listed_page_by_page(bench: &Bench) {
    for n in 0..12_usize {
        let priority = i16::from(!n.is_multiple_of(2));
        bench.put_job(job(nth(n).as_str()).with_priority(priority)).await;
    }
    let (even, odd) = (bench.claim(6).await, bench.claim(6).await);
    for (claimed, first) in [(&even, 0), (&odd, 1)] {
        let query = ListQuery::held(bench.queue().clone(), claimed[0].token, 4);
        assert_eq!(bench.list_ids(query).await, names((first..12).step_by(2)));
    }
}

/// A random generator that was copied with its machine draws a token again.
async fn a_token_that_was_used_twice_settles_the_lease_of_its_own_claim_alone(bench: &Bench) {
    bench.put("a").await;
    let request = bench.request_of("worker-1", 1, LEASE);
    let first = bench.send(request.clone()).await.jobs.remove(0);
    bench.release(&first).await;
    let second = bench.send(request).await.jobs.remove(0);
    for event in SETTLES.iter().map(|settle| settle(first.token)).chain([extend(first.token, LEASE)]) {
        let late = bench.apply(decided(&first.record.meta, event)).await;
        assert!(matches!(late, queue_core::Applied::LeaseLost(_)), "{late:?}");
    }
    bench.complete(&second).await;
    let late = bench.apply(decided(&first.record.meta, complete(first.token))).await;
    assert!(matches!(late, queue_core::Applied::LeaseLost(_)), "{late:?}");
}

fn bodies(found: &[Option<JobRecord>]) -> Vec<bool> {
    found.iter().map(|record| record.as_ref().expect("it is there").body.is_some()).collect()
}

/// Enqueues too many of the largest payloads for one answer; returns how many fit, and all ids.
async fn put_too_many(bench: &Bench) -> (usize, Vec<JobId>) {
    let Limits { payload_bytes_max, answer_bytes_max, .. } = limits(bench);
    let fit = answer_bytes_max / payload_bytes_max;
    put_sizes(bench, &vec![payload_bytes_max; fit + 2]).await;
    (fit, (0..fit + 2).map(nth).collect())
}

/// Bodies fill the answer in the order of the request; a second read gets the rest.
async fn reads_leave_out_the_bodies_that_they_have_no_room_for(bench: &Bench) {
    let (fit, ids) = put_too_many(bench).await;
    let store = bench.store();
    let queue = bench.queue();
    let read = store.get(queue, &ids, Detail::Full).await.expect("get answers").value;
    assert_eq!(bodies(&read), [vec![true; fit], vec![false; 2]].concat());
    let rest = store.get(queue, &ids[fit..], Detail::Full).await.expect("get answers").value;
    assert_eq!(bodies(&rest), [true, true]);
    let whole = store.get_whole(queue, &ids).await.expect("get answers").value;
    assert_eq!(bodies(&whole), vec![true; fit + 2]);
}

async fn metadata_is_never_left_out(bench: &Bench) {
    let (_, ids) = put_too_many(bench).await;
    let read = bench.store().get(bench.queue(), &ids, Detail::Meta).await.expect("get answers").value;
    assert!(read.iter().all(Option::is_some));
}

/// A read by id gets each result.
async fn an_enqueue_leaves_out_the_results_that_it_has_no_room_for(bench: &Bench) {
    let Limits { payload_bytes_max: len, answer_bytes_max, .. } = limits(bench);
    let fit = answer_bytes_max / len;
    bench.put_many(fit + 2).await;
    for _ in 0..fit + 2 {
        let held = bench.claim_for(Span::from_secs(600)).await;
        bench.settled(&held, complete_with(held.token, bytes_payload(vec![7; len]))).await;
    }
    let again = bench.enqueue_groups(vec![jobs(fit + 2)]).await.remove(0);
    let has_result = |answer: &Enqueued| match answer {
        Enqueued::Completed { result, .. } => result.is_some(),
        other => panic!("it is completed, but: {other:?}"),
    };
    let got: Vec<bool> = again.iter().map(has_result).collect();
    assert_eq!(got, [vec![true; fit], vec![false; 2]].concat());
    assert!(bench.record(nth(fit + 1).as_str()).await.result().is_some());
}
