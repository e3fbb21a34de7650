//! What the gates of a group's jobs count, computed with the lifecycle.

use super::{
    deed::Signal,
    group::{TwinGroup, name},
    shape::SUM,
};
use crate::{bench::prelude::*, twin::Twin};
use queue_core::{
    EndSignal, Enqueued, JobId, JobMeta, NewGate, NewJob, Retention, Seq, Signalling, Span, Timestamp,
    lifecycle::{Addressed, Event, OnProcessing, Transition, address, decide, look, receive},
};
use std::convert::Infallible;

/// Ends a job that waits.
const CANCEL: Event = Event::Cancel { processing: OnProcessing::Leave };

impl TwinGroup {
    /// Enqueues the job that members signal to, if there are any.
    pub(super) async fn enqueue_sum(&mut self) {
        if self.has_members() {
            let gate = NewGate { needs: u64::MAX / 2, is_sealed: false, timeout: None };
            let sum = job(SUM).with_retention(Retention::Forever).with_gate(gate);
            self.enqueue_others(vec![sum]).await;
        }
    }

    /// Lets another job of each chosen one end, which signals it.
    pub(super) async fn signal(&mut self, chosen: impl Fn(usize) -> Option<Signal>) {
        let sender = |nth| {
            let urgent = chosen(nth)? == Signal::Urgent;
            let signal = EndSignal { urgent, ..EndSignal::to(name(nth)) };
            let sender = job(&self.another(nth)).with_delay(Span::MAX).with_end_signals([signal]);
            Some(sender)
        };
        let senders: Vec<NewJob> = (0..self.rows()).filter_map(sender).collect();
        if senders.is_empty() {
            return;
        }
        let first = self.twins.len();
        self.enqueue_others(senders).await;
        let ends = self.twins[first..]
            .iter()
            .enumerate()
            .map(|(nth, twin)| (first + nth, decide(&twin.job.meta, CANCEL, &policy()).expect("it waits")));
        let ends: Vec<(usize, Transition)> = ends.collect();
        self.send(&ends).await;
        self.look();
    }

    /// Enqueues another job for each chosen one, which raises it.
    pub(super) async fn raise(&mut self, chosen: impl Fn(usize) -> bool) {
        let raises = |nth: usize| {
            let signal = EndSignal { raises: true, ..EndSignal::to(name(nth)) };
            job(&self.another(nth)).with_delay(Span::MAX).with_end_signals([signal])
        };
        let members: Vec<NewJob> = (0..self.rows()).filter(|nth| chosen(*nth)).map(raises).collect();
        if !members.is_empty() {
            self.enqueue_others(members).await;
            self.look();
        }
    }

    /// Enqueues new jobs that are none of the rows, and compares the answers.
    async fn enqueue_others(&mut self, news: Vec<NewJob>) {
        let now = self.now();
        let answers = self.bench.enqueue_groups(vec![news.clone()]).await.concat();
        assert_eq!(answers.len(), news.len(), "one answer for each job");
        for (new, got) in news.iter().zip(answers) {
            let seq = got.seq().unwrap_or(Seq::new(0));
            let expected = match self.begin(new, seq, None, now) {
                Some(twin) => {
                    self.twins.push(twin);
                    Enqueued::Queued { seq }
                }
                None => Enqueued::Orphaned,
            };
            assert_eq!(got, expected, "{new:#?}");
        }
    }

    /// The expected answer to an enqueue of the id of a row.
    pub(super) fn enqueue_one(&mut self, nth: usize, new: &NewJob, seq: Seq, now: Timestamp) -> Enqueued {
        let mut new = new.clone();
        let is_new = self.twins[nth].makes_room(&new, now);
        let has_signals = is_new && !new.end_signals.is_empty();
        if is_new {
            let Some(signals) = self.addressed(&new, None, now) else { return Enqueued::Orphaned };
            new.end_signals = signals;
        }
        let answer = self.twins[nth].enqueue(&new, seq, now);
        if has_signals {
            self.twins[nth].job.meta.signalling = Signalling::owing(new.end_signals.len());
        }
        answer
    }

    /// The twin of a new job, with the lives that its signals are to, after it has raised those
    /// that it is to raise; `None` for an orphan.
    pub(super) fn begin(
        &mut self,
        new: &NewJob,
        seq: Seq,
        holder: Option<Seq>,
        now: Timestamp,
    ) -> Option<Twin> {
        let queue = self.bench.queue().clone();
        let signals = self.addressed(new, holder, now)?;
        let owed = Signalling::owing(signals.len());
        let mut twin = Twin::begin(queue, &new.clone().with_end_signals(signals), seq, now);
        if !new.end_signals.is_empty() {
            twin.job.meta.signalling = owed;
        }
        Some(twin)
    }

    /// The signals of a new job with their lives; `None` of an orphan.
    pub(super) fn addressed(
        &mut self,
        new: &NewJob,
        holder: Option<Seq>,
        now: Timestamp,
    ) -> Option<Vec<EndSignal>> {
        let find = |id: &JobId| {
            let found = self.twins.iter().position(|twin| twin.meta(now).is_some_and(|meta| meta.id == *id));
            Ok::<_, Infallible>(found.map(|at| (at, self.twins[at].job.meta.clone())))
        };
        let Ok(addressed) = address(&new.end_signals, holder, now, find, |(_, meta)| meta);
        let Addressed { signals, raised } = addressed?;
        for (at, meta) in raised {
            self.twins[at].job.meta = meta;
        }
        Some(signals)
    }

    /// What follows a step of a job that was written: followers raise, it looks at its gate, and
    /// signals its end. Returns the job as it then is.
    pub(super) fn step(&mut self, nth: usize, transition: &Transition, now: Timestamp) -> JobMeta {
        let holder = Some(transition.seq).filter(|_| !self.twins[nth].job.meta.state.is_terminal());
        let mut followers = std::mem::take(&mut self.twins[nth].followers);
        followers.retain_mut(|new| match self.addressed(new, holder, now) {
            Some(signals) => {
                new.end_signals = signals;
                true
            }
            None => false,
        });
        self.twins[nth].followers = followers;
        look(&mut self.twins[nth].job.meta, &transition.patch, now);
        let meta = self.twins[nth].job.meta.clone();
        let signals = self.twins[nth].end_signals().to_vec();
        for signal in signals.iter().filter(|_| transition.signal.is_some()) {
            let target = self.twins.iter_mut().find(|twin| Some(twin.job.meta.seq) == signal.life);
            let target = target.filter(|twin| twin.meta(now).is_some());
            if let (Some(twin), Some(signals)) = (target, transition.signal) {
                receive(&mut twin.job.meta, signal, signals.outcome, now);
            }
        }
        meta
    }

    /// The id of another job for this one, which no job has yet.
    fn another(&self, nth: usize) -> String {
        format!("{}-other-{}", name(nth), self.twins.len())
    }
}
