//! Jobs that go through a scene together, compared with their twins at each step.

use super::{
    deed::Over,
    shape::{Mark, SUM, Shape},
};
use crate::{bench::prelude::*, twin::Twin};
use queue_core::{
    Applied, ClaimRequest, Detail, JobId, JobMeta, LeaseToken, NewJob, Prune, Seq, Span, Timestamp,
    lifecycle::{Event, Transition, decide},
};

/// Jobs of one queue that go through a scene together, each with its twin, so few that they fit one
/// call. Every step is checked against the twins.
#[derive(Debug)]
pub(super) struct TwinGroup {
    pub(super) bench: Bench,
    jobs: Vec<(Shape, &'static [Mark])>,
    pub(super) twins: Vec<Twin>,
    /// The tokens of all claims, the latest last.
    pub(super) tokens: Vec<LeaseToken>,
    /// The record of each job after each step that changed it.
    pub(super) seen: Vec<Vec<JobMeta>>,
    pub(super) start: Timestamp,
}

impl TwinGroup {
    /// A group whose jobs are still to be enqueued.
    pub(super) fn new(bench: Bench, jobs: Vec<(Shape, &'static [Mark])>) -> Self {
        let seen = vec![Vec::new(); jobs.len()];
        let start = bench.now();
        Self { bench, jobs, twins: Vec::new(), tokens: Vec::new(), seen, start }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.bench.now()
    }

    /// Moves the clock forward.
    pub(super) fn pass(&self, by: Span) {
        self.bench.advance(by);
    }

    /// Moves the clock to this time after the start.
    pub(super) fn pass_until(&self, since_start_ms: i64) {
        self.bench.clock.set(Timestamp::from_millis(self.start.as_millis() + since_start_ms));
    }

    /// Enqueues the jobs, which begins their first lives.
    pub(super) async fn enqueue(&mut self, delay: Span) {
        self.limit_partitions().await;
        self.enqueue_sum().await;
        let news: Vec<NewJob> = self
            .jobs
            .iter()
            .enumerate()
            .map(|(nth, (shape, _))| shape.job(name(nth).as_str(), delay))
            .collect();
        let answers = self.bench.enqueue_groups(vec![news.clone()]).await.concat();
        assert_eq!(answers.len(), news.len(), "one answer for each job");
        for (new, answer) in news.iter().zip(answers) {
            assert!(answer.is_new(), "{}: {answer:?}", new.id);
            let twin = self.begin(new, life(&answer), None, self.now()).expect("its gate takes raises");
            self.twins.push(twin);
        }
        // The twin of a row has its number, and that of the sum, if there is one, comes last.
        let others = self.twins.len() - self.rows();
        self.twins.rotate_left(others);
        self.look();
    }

    /// How many jobs are rows.
    pub(super) fn rows(&self) -> usize {
        self.jobs.len()
    }

    pub(super) fn shapes(&self) -> impl Iterator<Item = Shape> {
        self.jobs.iter().map(|(shape, _)| *shape)
    }

    pub(super) fn has_members(&self) -> bool {
        self.shapes().any(|shape| shape == Shape::Member)
    }

    /// Enqueues the ids again, of those jobs for which the choice says how.
    pub(super) async fn enqueue_again(&mut self, over: impl Fn(usize) -> Option<Over>) {
        let chosen = |nth| over(nth).map(|over| (nth, self.again(nth, over)));
        let again: Vec<(usize, NewJob)> = (0..self.jobs.len()).filter_map(chosen).collect();
        if again.is_empty() {
            return;
        }
        let now = self.now();
        let mut last = self.twins.iter().map(|twin| twin.job.meta.seq).max();
        let news = again.iter().map(|(_, new)| new.clone()).collect();
        let answers = self.bench.enqueue_groups(vec![news]).await.concat();
        assert_eq!(answers.len(), again.len(), "one answer for each job");
        for ((nth, new), got) in again.iter().zip(answers) {
            let before = self.twins[*nth].clone();
            let expected = self.enqueue_one(*nth, new, life(&got), now);
            assert_eq!(got, expected, "{} was enqueued over {before:#?}", new.id);
            assert!(!got.is_new() || Some(life(&got)) > last, "a life has an old number: {got:?}");
            last = last.max(Some(life(&got)));
        }
        self.look();
    }

    /// Claims all due jobs.
    pub(super) async fn claim(&mut self) {
        let request = self.bench.request_of("worker-1", batch_max(&self.bench), LEASE);
        self.tokens.push(request.token);
        self.claim_as(request).await;
        self.look();
    }

    /// Applies an event of each holder.
    pub(super) async fn hold(&mut self, event: fn(LeaseToken) -> Event) {
        let Some(token) = self.tokens.last().copied() else { return };
        self.change(&event(token)).await;
    }

    /// Lets each lease lapse, and ends it.
    pub(super) async fn stall(&mut self) {
        self.pass(LEASE);
        self.change(&Event::Lapse).await;
    }

    /// Applies the event to each job that it can change.
    pub(super) async fn change(&mut self, event: &Event) {
        self.change_some(event, |_| true).await;
    }

    /// Sets the marks of each job.
    pub(super) async fn mark(&mut self) {
        for mark in [Mark::Cancel, Mark::Await] {
            let marked: Vec<bool> = self.jobs.iter().map(|(_, marks)| marks.contains(&mark)).collect();
            self.change_some(&mark.event(), |nth| marked.get(nth) == Some(&true)).await;
        }
    }

    async fn change_some(&mut self, event: &Event, chosen: impl Fn(usize) -> bool) {
        let now = self.now();
        let decided = |(nth, twin): (usize, &Twin)| {
            let meta = twin.meta(now).filter(|meta| chosen(nth) && meta.id.as_str() != SUM)?;
            decide(meta, event.clone(), &policy()).ok().map(|transition| (nth, transition))
        };
        let batch: Vec<_> = self.twins.iter().enumerate().filter_map(decided).collect();
        self.send(&batch).await;
        self.adopt_followers().await;
        self.look();
    }

    /// Sends transitions, and compares each answer with that of the twin.
    pub(super) async fn send(&mut self, batch: &[(usize, Transition)]) {
        if batch.is_empty() {
            return;
        }
        let now = self.now();
        let answers = self.bench.apply_all(batch.iter().map(|(_, each)| each.clone()).collect()).await;
        for ((nth, transition), got) in batch.iter().zip(answers) {
            let before = self.twins[*nth].clone();
            let mut expected = self.twins[*nth].apply(transition, now);
            if let Applied::Done(meta) = &mut expected
                && self.twins[*nth].job.meta.revision > before.job.meta.revision
            {
                *meta = self.step(*nth, transition, now);
            }
            assert_eq!(got, expected, "{transition:#?}\nwas applied to {before:#?}");
        }
    }

    /// Compares every record, field by field, and adds a twin for each follower.
    pub(super) async fn compare(&mut self) {
        let now = self.now();
        let ids: Vec<JobId> = self.twins.iter().map(|twin| twin.job.meta.id.clone()).collect();
        for (nth, (id, got)) in ids.iter().zip(self.read(&ids).await).enumerate() {
            let expected = self.twins[nth].record(now);
            let seen = self.seen.get(nth);
            assert_eq!(got, expected, "the record of {id}, which was seen as {seen:#?}");
        }
        self.compare_partitions().await;
        self.adopt_followers().await;
    }

    async fn adopt_followers(&mut self) {
        let now = self.now();
        let followers: Vec<NewJob> =
            self.twins.iter_mut().flat_map(|twin| twin.followers.drain(..)).collect();
        for new in followers {
            let got = self.read(std::slice::from_ref(&new.id)).await.remove(0);
            let got = got.unwrap_or_else(|| panic!("{} should have followed", new.id));
            let twin = Twin::begin(self.bench.queue().clone(), &new, got.meta.seq, now);
            assert_eq!(Some(got), twin.record(now), "what followed");
            self.twins.push(twin);
        }
    }

    /// Claims everything that is due, and compares the jobs, their order, and `next_due`.
    pub(super) async fn claim_rest(&mut self) {
        let request = self.bench.request_of("worker-2", batch_max(&self.bench), LEASE);
        self.claim_as(request).await;
        self.bench.prune(Prune::Everything, batch_max(&self.bench)).await;
    }

    async fn claim_as(&mut self, request: ClaimRequest) {
        let now = self.now();
        let mut claimed = self.bench.send(request.clone()).await;
        if self.has_partitions() {
            // Partitions take turns, and the order of these is no part of the scene.
            claimed.jobs.sort_by_key(|job| place(&job.record.meta));
        }
        let mut due: Vec<&mut Twin> = self
            .twins
            .iter_mut()
            .filter(|twin| twin.meta(now).is_some_and(|meta| meta.is_due(now)))
            .collect();
        due.sort_by_key(|twin| place(&twin.job.meta));
        assert_eq!(claimed.jobs.len(), due.len(), "due jobs are claimed, and no others");
        for (twin, got) in due.into_iter().zip(claimed.jobs) {
            twin.lease(&request, now);
            assert_eq!(Some(got.record), twin.record(now), "a claimed job");
            assert_eq!(got.token, request.token);
        }
        self.assert_comes_back(claimed.next_due);
    }

    /// `next_due` is not later than the next due job, and not in the past if no job is due yet.
    fn assert_comes_back(&self, next_due: Option<Timestamp>) {
        let now = self.now();
        let moment = |meta: &JobMeta| match &meta.lease {
            Some(lease) => Some(lease.expires_at),
            None if meta.is_gated(now) && meta.run_at.is_far(now) => None,
            None => meta.state.is_waiting().then_some(meta.run_at),
        };
        let earliest = self.twins.iter().filter_map(|twin| twin.meta(now).and_then(moment)).min();
        assert_eq!(next_due.is_some(), earliest.is_some(), "when to come back");
        assert!(next_due <= earliest.map(|at| at.max(now)), "a worker would sleep past {earliest:?}");
        assert!(next_due.is_none_or(|at| at > now) || earliest <= Some(now), "a worker would spin");
    }

    async fn read(&self, ids: &[JobId]) -> Vec<Option<queue_core::JobRecord>> {
        let answer = self.bench.store().get(self.bench.queue(), ids, Detail::Full).await;
        let found = answer.expect("get answers").value;
        assert_eq!(found.len(), ids.len(), "one answer for each id");
        found
    }

    /// The same job, enqueued once more.
    fn again(&self, nth: usize, over: Over) -> NewJob {
        over.said_by(self.jobs[nth].0.job(name(nth).as_str(), Span::ZERO))
    }

    pub(super) fn look(&mut self) {
        let now = self.now();
        for (seen, twin) in self.seen.iter_mut().zip(&self.twins) {
            if let Some(meta) = twin.meta(now).filter(|meta| seen.last() != Some(*meta)) {
                seen.push(meta.clone());
            }
        }
    }
}

/// The place of a job in the order of claims.
fn place(job: &JobMeta) -> (i16, Timestamp, Seq) {
    (job.priority, job.run_at, job.seq)
}

/// Job number `nth` of a group.
pub(super) fn name(number: usize) -> JobId {
    nth(number)
}

/// The most transitions that the store takes in one call.
pub(super) fn batch_max(bench: &Bench) -> usize {
    bench.store().capabilities().limits.batch_max
}
