//! The way of a settlement: the decision, the call of the store, and what follows from its answer.

use super::{
    Settlement,
    orphans::RaisingFollowers,
    settle_batch::{PendingSettlement, SettleBatch, check_size},
};
use crate::worker::{
    run::WorkerRun,
    trace,
    watch::{CountedEnd, WorkerEvent},
};
use queue_core::{
    Applied, Certainty, Error, ErrorKind, JobMeta, Limits, RE_DECIDES_MAX, Result, Stamped,
    asking::after_error, lifecycle::Transition,
};
use std::{collections::BTreeSet, sync::Arc};
use tokio::time::sleep;
use tracing::Instrument as _;

/// Decides on the transitions for outcomes, sends them, and draws the conclusions from the answers.
#[derive(Clone)]
pub(super) struct Applier(pub(super) Arc<WorkerRun>);

/// Tries for an outcome that the store neither stores nor refuses. They are few, since other
/// outcomes wait behind it.
const TRIES_MAX: u32 = 4;

/// What follows a call that failed.
enum AfterError {
    Retry,
    /// The outcomes wait until the store answers again.
    Later,
    /// One outcome may be at fault, so each goes alone.
    Split,
    GiveUp,
}

impl Applier {
    /// Settles what the store takes now, and answers what is for later because the store is away
    /// for its queue.
    pub(super) async fn settle(&self, settlements: Vec<Settlement>) -> Vec<PendingSettlement> {
        let limits = self.0.storage.capabilities().limits;
        let decided = settlements.into_iter().filter_map(|settlement| self.decide(settlement, &limits));
        self.send_all(decided, &limits).await
    }

    /// Sends what was for later, after this many errors in a row, until nothing is left of it.
    pub(super) async fn settle_later(&self, mut later: Vec<PendingSettlement>, mut errors: u32) {
        let limits = self.0.storage.capabilities().limits;
        while !later.is_empty() {
            if errors > 0 && !self.has_patience(errors).await {
                return self.abandon(&later);
            }
            let decided = later.into_iter().filter_map(|pending| self.decided(pending));
            later = self.send_all(decided, &limits).await;
            errors += 1;
        }
    }

    async fn send_all(
        &self,
        decided: impl Iterator<Item = (PendingSettlement, Transition)>,
        limits: &Limits,
    ) -> Vec<PendingSettlement> {
        let mut batch = SettleBatch::default();
        let mut later = Vec::new();
        for (pending, transition) in decided {
            if !batch.fits(&transition, limits) {
                later.extend(self.send(std::mem::take(&mut batch)).await);
            }
            batch.push(pending, transition);
        }
        later.extend(self.send(batch).await);
        later
    }

    /// Decides about an outcome for the first time. One that no store would take for its size is
    /// made storable.
    fn decide(&self, settlement: Settlement, limits: &Limits) -> Option<(PendingSettlement, Transition)> {
        let (pending, transition) =
            self.decided(PendingSettlement { settlement, in_doubt: false, decisions: 1 })?;
        let Err(refusal) = check_size(limits, &transition) else { return Some((pending, transition)) };
        let (settlement, unreported) = pending.settlement.made_storable(refusal);
        if let Some(error) = unreported {
            self.0.report_error(error);
        }
        self.decided(PendingSettlement { settlement, ..pending })
    }

    /// Decides what to send for an outcome. An outcome without a decision has lost its lease. An
    /// outcome whose record keeps moving still has it, so its job is left to lapse.
    fn decided(&self, pending: PendingSettlement) -> Option<(PendingSettlement, Transition)> {
        if pending.decisions > RE_DECIDES_MAX {
            self.0.report_error(conflict());
            self.abandon(&[pending]);
            return None;
        }
        let transition = pending.settlement.decide(&self.0.options.policy);
        if transition.is_none() {
            self.0.held.let_go([&*pending.settlement.job]);
            self.lost(&pending.settlement);
        }
        Some((pending, transition?))
    }

    /// Sends a batch until nothing of it is left but what is for later.
    async fn send(&self, mut batch: SettleBatch) -> Vec<PendingSettlement> {
        let mut errors = 0;
        while !batch.pending.is_empty() {
            let SettleBatch { mut pending, transitions, .. } = batch;
            match self.apply(transitions).await {
                Ok(answers) => {
                    let raising = RaisingFollowers::of(&pending, &answers.value);
                    batch = self.conclude(pending, answers);
                    raising.report(&self.0).await;
                }
                Err(error) => {
                    errors += 1;
                    self.note_error(&error, &mut pending);
                    match self.after_error(&error, errors, pending.len()).await {
                        AfterError::Retry => batch = self.batch(pending),
                        AfterError::Later => return pending,
                        AfterError::Split => return self.send_each(pending).await,
                        AfterError::GiveUp => {
                            self.abandon(&pending);
                            break;
                        }
                    }
                }
            }
        }
        Vec::new()
    }

    fn note_error(&self, error: &Error, pending: &mut [PendingSettlement]) {
        self.0.report_error(error.clone());
        for pending in pending {
            self.0.answers.note_failure(pending.queue_index(), error);
            pending.in_doubt |= error.certainty() == Certainty::Unknown;
        }
    }

    /// Sends settlements one by one. Once a queue turns out to be away, the rest of its settlements
    /// are left for later.
    async fn send_each(&self, pending: Vec<PendingSettlement>) -> Vec<PendingSettlement> {
        let mut later = Vec::new();
        let mut away = BTreeSet::new();
        for pending in pending {
            if away.contains(&pending.queue_index()) {
                later.push(pending);
                continue;
            }
            let left = Box::pin(self.send(self.batch([pending]))).await;
            away.extend(left.iter().map(PendingSettlement::queue_index));
            later.extend(left);
        }
        later
    }

    /// Makes a batch by deciding again. The same settlement leads to the same decision.
    fn batch(&self, pending: impl IntoIterator<Item = PendingSettlement>) -> SettleBatch {
        let mut batch = SettleBatch::default();
        for (pending, transition) in pending.into_iter().filter_map(|pending| self.decided(pending)) {
            batch.push(pending, transition);
        }
        batch
    }

    /// Calls the store, and answers as many answers as there are transitions, or an error.
    async fn apply(&self, transitions: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        let sent = transitions.len();
        let span = trace::settle(sent);
        let answers = tokio::select! {
            biased;
            answers = self.0.storage.apply(transitions).instrument(span.clone()) => answers,
            () = self.0.shutdown.cut_off.cancelled() => Err(unanswered()),
        };
        trace::answered(&span, &answers);
        let answers = answers?;
        if answers.value.len() == sent { Ok(answers) } else { Err(miscounted()) }
    }

    /// Reports what was answered, and answers what must be decided again.
    fn conclude(&self, pending: Vec<PendingSettlement>, answers: Stamped<Vec<Applied>>) -> SettleBatch {
        let Stamped { now, value: answers, .. } = answers;
        self.0.answers.note(pending.iter().map(PendingSettlement::queue_index), now);
        self.0.series.count(now, pending.iter().zip(&answers).filter_map(counted));
        let all = pending.iter().zip(&answers);
        let over = all.filter(|(_, answer)| !matches!(answer, Applied::Stale(_)));
        self.0.held.let_go(over.map(|(pending, _)| &*pending.settlement.job));
        let mut again = Vec::new();
        for (PendingSettlement { settlement, in_doubt, decisions }, answer) in
            pending.into_iter().zip(answers)
        {
            match answer {
                Applied::Stale(meta) => {
                    let settlement = settlement.again(meta);
                    again.push(PendingSettlement { settlement, in_doubt, decisions: decisions + 1 });
                }
                // An earlier try may have settled the job without an answer, and its record was
                // removed since.
                Applied::Missing if in_doubt => self.replayed(&settlement, settlement.seen().clone()),
                Applied::Missing | Applied::LeaseLost(_) => self.lost(&settlement),
                Applied::Done(meta) if in_doubt => self.replayed(&settlement, meta),
                Applied::Done(meta) => self.done(&settlement, meta),
            }
        }
        self.batch(again)
    }

    /// The end of a job whose outcome was sent more than once.
    fn replayed(&self, settlement: &Settlement, after: JobMeta) {
        let JobMeta { queue, id, seq, .. } = settlement.seen().clone();
        self.0.events.emit(&WorkerEvent::Replayed { queue, id, seq });
        self.done(settlement, after);
    }

    fn done(&self, settlement: &Settlement, after: JobMeta) {
        if !settlement.is_silent(&after) {
            trace::stored(settlement.seen(), settlement.end(&after));
            self.0.events.note(settlement.end(&after), || settlement.end_event(after));
        }
    }

    fn lost(&self, settlement: &Settlement) {
        let JobMeta { queue, id, seq, .. } = settlement.seen().clone();
        self.0.events.emit(&WorkerEvent::LeaseLost { queue, id, seq });
    }

    fn abandon(&self, batch: &[PendingSettlement]) {
        for pending in batch {
            self.0.abandon(&pending.settlement.job);
        }
    }

    /// Decides what follows an error, and waits before the next try if there is to be one.
    async fn after_error(&self, error: &Error, errors: u32, batch_len: usize) -> AfterError {
        match error.kind() {
            ErrorKind::Closed | ErrorKind::Unsupported => AfterError::GiveUp,
            ErrorKind::Unavailable | ErrorKind::Conflict => AfterError::Later,
            // One outcome may be at fault, and must not hold up the others.
            _ if batch_len > 1 => AfterError::Split,
            ErrorKind::Invalid => AfterError::GiveUp,
            _ if errors < TRIES_MAX && self.has_patience(errors).await => AfterError::Retry,
            _ => AfterError::GiveUp,
        }
    }

    /// Waits after an error. Answers false if the worker gives up meanwhile.
    async fn has_patience(&self, errors: u32) -> bool {
        tokio::select! {
            biased;
            () = self.0.shutdown.abort.cancelled() => false,
            () = sleep(after_error(errors, &*self.0.rng)) => true,
        }
    }
}

/// The end of a job that is over here, unless its lease was lost.
fn counted<'p>((pending, answer): (&'p PendingSettlement, &Applied)) -> Option<CountedEnd<'p>> {
    let settlement = &pending.settlement;
    match answer {
        Applied::Done(after) => settlement.counted(after),
        Applied::Missing if pending.in_doubt => settlement.counted(settlement.seen()),
        Applied::Missing | Applied::LeaseLost(_) | Applied::Stale(_) => None,
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "apply", "the store did not answer before the end of the shutdown")
        .unknown()
}

fn conflict() -> Error {
    Error::new(ErrorKind::Conflict, "settle", "the record kept moving, so its lease is left to lapse")
}

fn miscounted() -> Error {
    Error::new(ErrorKind::Internal, "apply", "the store did not answer each item of a batch").unknown()
}
