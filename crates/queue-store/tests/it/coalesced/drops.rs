//! Callers that go at any moment: none of the others may lose its answer by that.

use crate::coalesced::{
    recorder::{Call, Recorder},
    setup::{Pending, coalesced, enqueue, every_task_rests},
};
use futures_util::{FutureExt, future::BoxFuture};
use queue_core::{
    ClaimRequest, Claimed, Enqueued, Limits, QueueName, Result, Rng, SeededRng, Seq, Span, WorkerId,
};
use queue_store::Coalesced;
use std::{collections::BTreeSet, task::Context};

/// Futures that are dropped before they have answered, of each verb.
const DROPS: usize = 10_000;
/// Callers at a time.
const CALLERS_MAX: usize = 24;

/// Calls that are polled, dropped and answered in the order that a seed says.
struct Crowd<T> {
    rng: SeededRng,
    calls: Vec<(usize, T)>,
    begun: usize,
    dropped: BTreeSet<usize>,
    answered: BTreeSet<usize>,
}

impl<T, A> Crowd<T>
where
    T: Future<Output = Result<A>> + Unpin,
{
    fn new() -> Self {
        let (dropped, answered) = Default::default();
        Self { rng: SeededRng::new(1), calls: Vec::new(), begun: 0, dropped, answered }
    }

    fn any(&mut self, below: usize) -> usize {
        usize::try_from(self.rng.next_u64() % below as u64).expect("it is below a usize")
    }

    /// Until enough are dropped; then every one that is left has its answer at once.
    async fn run(&mut self, recorder: &Recorder, begin: impl Fn(usize) -> T, check: impl Fn(usize, A)) {
        while self.dropped.len() < DROPS {
            match self.any(8) {
                0..3 if self.calls.len() < CALLERS_MAX => {
                    self.begun += 1;
                    self.calls.push((self.begun, begin(self.begun)));
                    self.poll(self.calls.len() - 1, &check);
                }
                3 | 4 if !self.calls.is_empty() => {
                    let at = self.any(self.calls.len());
                    self.poll(at, &check);
                }
                5 if !self.calls.is_empty() => {
                    let at = self.any(self.calls.len());
                    let (number, call) = self.calls.swap_remove(at);
                    drop(call);
                    self.dropped.insert(number);
                }
                6 => recorder.open_once(),
                _ => tokio::task::yield_now().await,
            }
        }
        recorder.open();
        every_task_rests().await;
        while !self.calls.is_empty() {
            let left = self.calls.len();
            self.poll(0, &check);
            assert!(self.calls.len() < left, "the answer is late");
            every_task_rests().await;
        }
        assert_eq!(self.answered.len() + self.dropped.len(), self.begun);
    }

    fn poll(&mut self, at: usize, check: &impl Fn(usize, A)) {
        let mut context = Context::from_waker(std::task::Waker::noop());
        if let std::task::Poll::Ready(answer) = self.calls[at].1.poll_unpin(&mut context) {
            let (number, _) = self.calls.swap_remove(at);
            check(number, answer.expect("others alone were dropped"));
            self.answered.insert(number);
        }
    }
}

/// How often each id reached the store.
fn sent(ids: impl Iterator<Item = String>) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for id in ids {
        assert!(all.insert(id.clone()), "{id} was sent twice");
    }
    all
}

#[tokio::test]
async fn no_enqueue_loses_its_answer_by_ten_thousand_drops_of_others() {
    let (recorder, store) = coalesced(Limits::default());
    let mut crowd: Crowd<Pending<'_, Vec<Vec<Enqueued>>>> = Crowd::new();
    let begin = |number| enqueue(&store, "q", &[&format!("job-{number}")]);
    let check = |number: usize, answer: queue_core::Stamped<Vec<Vec<Enqueued>>>| {
        assert_eq!(answer.value, [[Enqueued::Queued { seq: Seq::new(number as u64) }]]);
    };
    crowd.run(&recorder, begin, check).await;
    let ids = recorder.calls().into_iter().flat_map(|call| match call {
        Call::Enqueue(_, ids) => ids,
        other => panic!("nobody made {other:?}"),
    });
    let sent = sent(ids);
    assert!(crowd.answered.iter().all(|number| sent.contains(&format!("job-{number}"))));
    assert!(sent.len() < crowd.begun, "some were dropped before they were sent");
    assert!(sent.len() > crowd.answered.len(), "some were dropped while they were under way");
}

#[tokio::test]
async fn no_claim_loses_its_answer_by_ten_thousand_drops_and_theirs_are_given_back() {
    let (recorder, store) = coalesced(Limits::default());
    let store: &Coalesced<Recorder> = &store;
    let mut crowd: Crowd<BoxFuture<'_, Result<Claimed>>> = Crowd::new();
    let begin = |number: usize| {
        let worker = WorkerId::new(format!("w{number}")).expect("it is a valid name");
        let queue = QueueName::from_static("q");
        let request = ClaimRequest::new(queue, worker, 1, Span::from_secs(30), &SeededRng::new(1));
        store.claim(request).boxed()
    };
    let check = |number: usize, claimed: Claimed| {
        let ids: Vec<_> = claimed.jobs.iter().map(|job| job.record.meta.id.as_str()).collect();
        assert_eq!(ids, [format!("w{number}-0")]);
    };
    crowd.run(&recorder, begin, check).await;
    store.rest().await;
    let (mut claimed, mut given_back) = (Vec::new(), Vec::new());
    for call in recorder.calls() {
        match call {
            Call::Claim(workers) => claimed.extend(workers.iter().map(|worker| format!("{worker}-0"))),
            Call::Settle(ids) => given_back.extend(ids),
            other => panic!("nobody made {other:?}"),
        }
    }
    let (claimed, given_back) = (sent(claimed.into_iter()), sent(given_back.into_iter()));
    let answered: BTreeSet<_> = crowd.answered.iter().map(|number| format!("w{number}-0")).collect();
    assert!(answered.is_disjoint(&given_back));
    assert_eq!(claimed, &answered | &given_back, "each lease has a caller or went back");
    assert!(!given_back.is_empty());
}
