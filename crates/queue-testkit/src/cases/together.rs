//! Claims that several callers send at the same time, and that a store may merge: each is answered
//! as if it had come alone.

use super::cases;
use crate::bench::prelude::*;
use futures_util::future::join_all;
use queue_core::{Applied, ClaimRequest, Claimed, ClaimedJob, Pause, Span, Timestamp};
use std::collections::HashSet;

cases! { "together":
    claims_sent_together_share_out_the_jobs [I3 I17 I20 I23];
    claims_sent_together_give_the_most_urgent_jobs_in_order [I12];
    claims_sent_together_keep_the_bytes_that_each_has_room_for [I12 I17];
    claims_sent_together_bring_more_than_one_answer_has_room_for [I16 I17 I20];
    each_of_claims_sent_together_settles_its_own_jobs_alone [I4];
    each_of_claims_sent_together_has_its_own_worker_and_lease [I3 I15];
    claims_of_several_queues_sent_together_stay_apart [I12 I16];
    a_claim_of_a_paused_queue_holds_up_none_of_an_open_one [I1 I16] (Pause);
    a_claim_over_the_limit_is_refused_and_none_beside_it [I16 I17];
    claims_that_come_too_late_leave_their_jobs_to_those_beside_them [I3 I16 I23];
    claims_sent_together_are_told_when_there_will_be_something [I15];
}

/// Enough that every store that merges claims has merged some.
const CLAIMS: usize = 12;

/// Claims of nothing that go ahead in each queue: a store that has some claims side by side merges
/// those that come while these are under way.
const AHEAD: usize = 4;

/// Sends all claims before it waits for any.
pub(super) async fn together(bench: &Bench, requests: Vec<ClaimRequest>) -> Vec<Claimed> {
    let store = bench.store();
    let queues: HashSet<_> = requests.iter().map(|request| request.queue.clone()).collect();
    let of_nothing = |queue| ClaimRequest { queue, ..bench.request(0) };
    let ahead: Vec<_> = (0..AHEAD).flat_map(|_| queues.iter().cloned().map(of_nothing)).collect();
    let skipped = ahead.len();
    let sent = ahead.into_iter().chain(requests).map(|request| store.claim(request));
    let answers = join_all(sent).await.into_iter().map(|answer| answer.expect("claim answers"));
    answers.skip(skipped).collect()
}

fn ids(claimed: &Claimed) -> Vec<String> {
    ids_of(&claimed.jobs)
}

fn all_ids(answers: &[Claimed]) -> Vec<String> {
    answers.iter().flat_map(ids).collect()
}

fn place(job: &ClaimedJob) -> (i16, Timestamp, u64) {
    let meta = &job.record.meta;
    (meta.priority, meta.run_at, meta.seq.get())
}

/// No job is leased twice, no answer exceeds its limit, and the jobs beyond all limits still wait.
async fn claims_sent_together_share_out_the_jobs(bench: &Bench) {
    bench.put_many(40).await;
    let limits: Vec<usize> = (0..CLAIMS).map(|n| (n + 3) % 4).collect();
    let answers = together(bench, limits.iter().map(|limit| bench.request(*limit)).collect()).await;
    for (answer, limit) in answers.iter().zip(&limits) {
        assert!(answer.jobs.len() <= *limit, "{} jobs of {limit}", answer.jobs.len());
    }
    let given = all_ids(&answers);
    assert!(given.len() <= limits.iter().sum());
    let mut all: Vec<String> = given.into_iter().chain(bench.claim_ids(40).await).collect();
    all.sort();
    assert_eq!(all, (0..40).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

/// Each answer is in claim order, and no remaining job is more urgent than one that was leased.
async fn claims_sent_together_give_the_most_urgent_jobs_in_order(bench: &Bench) {
    for (n, priority) in [3, 1, 2, 1, 3, 2, 1, 2, 3, 1, 2, 3].into_iter().enumerate() {
        bench.put_job(job(nth(n).as_str()).with_priority(priority)).await;
    }
    let answers = together(bench, vec![bench.request(1), bench.request(2), bench.request(3)]).await;
    let mut given = Vec::new();
    for answer in &answers {
        let places: Vec<_> = answer.jobs.iter().map(place).collect();
        assert!(places.is_sorted(), "{places:?}");
        given.extend(places);
    }
    let left: Vec<_> = bench.claim(12).await.iter().map(place).collect();
    assert_eq!(given.len() + left.len(), 12);
    let (last, first_left) = (given.into_iter().max(), left.into_iter().min());
    assert!(last < first_left, "{last:?} was given before {first_left:?}");
}

/// A caller without room for the next job asks again, and a later claim may lease that job.
async fn claims_sent_together_keep_the_bytes_that_each_has_room_for(bench: &Bench) {
    for n in 0..8 {
        bench.put_job(job_with(nth(n).as_str(), bytes_payload(vec![7; 100]))).await;
    }
    let bytes = [250, 100, 10, 1000];
    let requests = bytes.map(|bytes_max| ClaimRequest { bytes_max, ..bench.request(3) }).to_vec();
    let answers = together(bench, requests).await;
    for (answer, fits) in answers.iter().zip([2, 1, 1, 3]) {
        assert!(answer.jobs.len() <= fits, "{} jobs where {fits} fit", answer.jobs.len());
    }
    assert!(answers.iter().all(|answer| !answer.jobs.is_empty()), "at least one each");
}

/// Eighteen of the largest payloads make a store that merges claims answer in several parts, none
/// of which may be lost.
async fn claims_sent_together_bring_more_than_one_answer_has_room_for(bench: &Bench) {
    let len = bench.store().capabilities().limits.payload_bytes_max;
    let count = ClaimRequest::BYTES_MAX / len + 2;
    for n in 0..count {
        bench.put_job(job_with(nth(n).as_str(), bytes_payload(vec![7; len]))).await;
    }
    let answers = together(bench, (0..count).map(|_| bench.request(1)).collect()).await;
    let mut given = all_ids(&answers);
    given.extend(bench.claim_ids(1).await);
    given.sort();
    given.dedup();
    assert_eq!(given.len(), count, "each had room for one");
}

/// A token stands for the jobs of one claim alone.
async fn each_of_claims_sent_together_settles_its_own_jobs_alone(bench: &Bench) {
    bench.put_many(CLAIMS).await;
    let requests: Vec<_> = (0..CLAIMS).map(|_| bench.request(1)).collect();
    let tokens: Vec<_> = requests.iter().map(|request| request.token).collect();
    let answers = together(bench, requests).await;
    let mut seen = HashSet::new();
    for (n, answer) in answers.iter().enumerate() {
        for held in &answer.jobs {
            assert_eq!(held.token, tokens[n]);
            assert!(seen.insert(held.token));
            let foreign = decided(&held.record.meta, complete(tokens[(n + 1) % CLAIMS]));
            let answer = bench.apply(foreign).await;
            assert!(matches!(answer, Applied::LeaseLost(_)), "{answer:?}");
            let own = decided(&held.record.meta, complete(held.token));
            assert_done!([bench.apply(own).await]);
        }
    }
    assert!(!seen.is_empty());
}

/// The answer and the stored record show the worker and the lease of the claim that got the job.
async fn each_of_claims_sent_together_has_its_own_worker_and_lease(bench: &Bench) {
    bench.put_many(6).await;
    let names = ["a", "b", "c"];
    let leases = [1, 20, 300].map(Span::from_secs);
    let request = |(name, lease): (&str, Span)| bench.request_of(name, 2, lease);
    let answers = together(bench, names.into_iter().zip(leases).map(request).collect()).await;
    for ((answer, name), lease) in answers.iter().zip(names).zip(leases) {
        for held in &answer.jobs {
            let stored = bench.meta(held.record.meta.id.as_str()).await;
            for meta in [&held.record.meta, &stored] {
                let found = meta.lease.as_ref().expect("it is leased");
                assert_eq!(found.worker.as_str(), name);
                assert_eq!(found.expires_at, answer.now + lease);
            }
        }
    }
}

/// Each claim is answered from its own queue.
async fn claims_of_several_queues_sent_together_stay_apart(bench: &Bench) {
    let queues: Vec<_> = ["one", "two", "three"].map(|name| bench.on_queue(name)).into();
    for bench in &queues {
        bench.put(bench.queue().as_str()).await;
    }
    let requests = (0..CLAIMS).map(|n| queues[n % 3].request(1)).collect();
    let answers = together(bench, requests).await;
    for (n, bench) in queues.iter().enumerate() {
        let given: Vec<_> = answers.iter().skip(n).step_by(3).flat_map(ids).collect();
        let left = bench.claim_ids(1).await;
        assert_eq!([given, left].concat(), [bench.queue().as_str()]);
    }
}

/// One answer says that the queue is paused, the other contains the jobs.
async fn a_claim_of_a_paused_queue_holds_up_none_of_an_open_one(bench: &Bench) {
    let (paused, open) = (bench.on_queue("paused"), bench.on_queue("open"));
    for bench in [&paused, &open] {
        bench.put("a").await;
    }
    bench.store().set_paused(paused.queue(), None, Pause::UntilResumed).await.expect("it can pause");
    let requests = [&paused, &open, &paused].map(|bench| bench.request(1)).to_vec();
    let answers = together(bench, requests).await;
    let found: Vec<_> = answers.iter().map(|answer| (answer.pause.is_on(), answer.jobs.len())).collect();
    assert_eq!(found, [(true, 0), (false, 1), (true, 0)]);
}

async fn a_claim_over_the_limit_is_refused_and_none_beside_it(bench: &Bench) {
    bench.put_many(3).await;
    let store = bench.store();
    let most = store.capabilities().limits.batch_max;
    let sent = [1, most + 1, 1].map(|limit| store.claim(bench.request(limit)));
    let mut given = 0;
    for (n, answer) in join_all(sent).await.into_iter().enumerate() {
        match answer {
            Ok(claimed) if n != 1 => given += claimed.jobs.len(),
            Err(error) if n == 1 => assert_refused(&error),
            answer => panic!("claim {n} answers {answer:?}"),
        }
    }
    assert_eq!(given + bench.claim(3).await.len(), 3);
}

/// Late claims get the answer to ask again, and lease nothing. There are two of each, since a store
/// that has two claims side by side may send the first of each kind apart.
async fn claims_that_come_too_late_leave_their_jobs_to_those_beside_them(bench: &Bench) {
    bench.put_many(4).await;
    let late = || ClaimRequest { not_after: Some(bench.now()), ..bench.request(2) };
    let requests = vec![late(), late(), bench.request(2), bench.request(2)];
    bench.advance(MILLI);
    let answers = together(bench, requests).await;
    for late in &answers[..2] {
        assert_eq!((late.jobs.len(), late.next_due), (0, Some(late.now)));
    }
    assert_eq!(all_ids(&answers).len(), 4, "nobody else wanted them");
}

/// A caller that got no job sleeps until the first lease lapses, and no longer.
async fn claims_sent_together_are_told_when_there_will_be_something(bench: &Bench) {
    bench.put("a").await;
    let answers = together(bench, (0..CLAIMS).map(|_| bench.request(1)).collect()).await;
    let held: Vec<_> = answers.iter().flat_map(|answer| &answer.jobs).collect();
    assert_eq!(held.len(), 1);
    let lapse = held[0].record.meta.lease.as_ref().expect("it is leased").expires_at;
    for answer in &answers {
        assert!(answer.next_due.is_some_and(|at| at <= lapse), "{answer:?}");
    }
}
