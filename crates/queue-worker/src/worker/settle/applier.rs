use super::batch::{Batch, Pending, refusal};
use crate::worker::{WorkerEvent, settlement::Settlement, shared::Shared, trace};
use queue_core::{
    Applied, Certainty, Error, ErrorKind, JobMeta, Limits, RE_DECIDES_MAX, Result, asking::after_error,
    lifecycle::Transition,
};
use std::{collections::BTreeSet, sync::Arc};
use tokio::time::sleep;
use tracing::Instrument as _;

/// Decides what to send for outcomes, sends it and concludes from the answers.
#[derive(Clone)]
pub(super) struct Applier(pub(super) Arc<Shared>);

/// Tries for an outcome that the store neither stores nor refuses; few, since others wait behind it.
const TRIES_MAX: u32 = 4;

/// What follows a call that failed.
enum Next {
    Retry,
    /// When the store answers again.
    Later,
    Split,
    GiveUp,
}

impl Applier {
    /// Settles what the store takes now, and answers what is for later: it, or that queue, is away.
    pub(super) async fn settle(&self, settlements: Vec<Settlement>) -> Vec<Pending> {
        let limits = self.0.storage.capabilities().limits;
        let decided = settlements.into_iter().filter_map(|settlement| self.decide(settlement, &limits));
        self.send_all(decided, &limits).await
    }

    /// Sends what was for later, after so many errors in a row, until nothing is left of it.
    pub(super) async fn settle_later(&self, mut later: Vec<Pending>, mut errors: u32) {
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
        decided: impl Iterator<Item = (Pending, Transition)>,
        limits: &Limits,
    ) -> Vec<Pending> {
        let (mut batch, mut later) = (Batch::default(), Vec::new());
        for (pending, transition) in decided {
            if !batch.fits(&transition, limits) {
                later.extend(self.send(std::mem::take(&mut batch)).await);
            }
            batch.push(pending, transition);
        }
        later.extend(self.send(batch).await);
        later
    }

    /// The first decision about an outcome, which no store refuses for its size.
    fn decide(&self, settlement: Settlement, limits: &Limits) -> Option<(Pending, Transition)> {
        let (pending, transition) = self.decided(Pending { settlement, in_doubt: false, decisions: 1 })?;
        let Err(refusal) = refusal(limits, &transition) else { return Some((pending, transition)) };
        let (settlement, left_out) = pending.settlement.made_storable(refusal);
        if let Some(error) = left_out {
            self.0.report_error(error);
        }
        self.decided(Pending { settlement, ..pending })
    }

    /// What to send for an outcome. One that leads nowhere has lost its lease; one whose record keeps moving still has it,
    /// so its job is left to lapse.
    fn decided(&self, pending: Pending) -> Option<(Pending, Transition)> {
        if pending.decisions > RE_DECIDES_MAX {
            self.0.report_error(conflict());
            self.abandon(&[pending]);
            return None;
        }
        let transition = pending.settlement.decide(&self.0.options.policy);
        if transition.is_none() {
            self.0.let_go([&*pending.settlement.job]);
            self.lost(&pending.settlement);
        }
        Some((pending, transition?))
    }

    /// Sends a batch until nothing of it is left but what is for later.
    async fn send(&self, mut batch: Batch) -> Vec<Pending> {
        let mut errors = 0;
        while !batch.pending.is_empty() {
            let Batch { mut pending, transitions, .. } = batch;
            match self.apply(transitions).await {
                Ok(answers) => batch = self.conclude(pending, answers),
                Err(error) => {
                    errors += 1;
                    self.note_error(&error, &mut pending);
                    match self.after_error(&error, errors, pending.len()).await {
                        Next::Retry => batch = self.batch(pending),
                        Next::Later => return pending,
                        Next::Split => return self.send_each(pending).await,
                        Next::GiveUp => {
                            self.abandon(&pending);
                            break;
                        }
                    }
                }
            }
        }
        Vec::new()
    }

    fn note_error(&self, error: &Error, pending: &mut [Pending]) {
        self.0.report_error(error.clone());
        for pending in pending {
            pending.in_doubt |= error.certainty() == Certainty::Unknown;
        }
    }

    /// One by one. A queue that turns out to be away is not asked for each of its own.
    async fn send_each(&self, pending: Vec<Pending>) -> Vec<Pending> {
        let (mut later, mut away) = (Vec::new(), BTreeSet::new());
        for pending in pending {
            let lane = pending.lane();
            if away.contains(&lane) {
                later.push(pending);
                continue;
            }
            let left = Box::pin(self.send(self.batch([pending]))).await;
            away.extend(left.iter().map(Pending::lane));
            later.extend(left);
        }
        later
    }

    /// The same decisions again, which are the same.
    fn batch(&self, pending: impl IntoIterator<Item = Pending>) -> Batch {
        let mut batch = Batch::default();
        for (pending, transition) in pending.into_iter().filter_map(|pending| self.decided(pending)) {
            batch.push(pending, transition);
        }
        batch
    }

    /// One answer for each of the batch, or an error.
    async fn apply(&self, transitions: Vec<Transition>) -> Result<Vec<Applied>> {
        let sent = transitions.len();
        let span = trace::settle(sent);
        let answers = tokio::select! {
            biased;
            answers = self.0.storage.apply(transitions).instrument(span.clone()) => answers,
            () = self.0.signals.cut_off.cancelled() => Err(unanswered()),
        };
        trace::answered(&span, &answers);
        let answers = answers?.value;
        if answers.len() == sent { Ok(answers) } else { Err(miscounted()) }
    }

    /// Reports what was answered; what must be decided again comes back.
    fn conclude(&self, pending: Vec<Pending>, answers: Vec<Applied>) -> Batch {
        let all = pending.iter().zip(&answers);
        let over = all.filter(|(_, answer)| !matches!(answer, Applied::Stale(_)));
        self.0.let_go(over.map(|(pending, _)| &*pending.settlement.job));
        let mut again = Vec::new();
        for (Pending { settlement, in_doubt, decisions }, answer) in pending.into_iter().zip(answers) {
            match answer {
                Applied::Stale(meta) => {
                    let settlement = settlement.again(meta);
                    again.push(Pending { settlement, in_doubt, decisions: decisions + 1 });
                }
                Applied::Missing if in_doubt => self.done(&settlement, settlement.seen().clone()),
                Applied::Missing | Applied::LeaseLost(_) => self.lost(&settlement),
                Applied::Done(meta) => self.done(&settlement, meta),
            }
        }
        self.batch(again)
    }

    fn done(&self, settlement: &Settlement, after: JobMeta) {
        if !settlement.is_silent(&after) {
            trace::stored(settlement.seen(), settlement.end(&after));
            self.0.note(settlement.end(&after), || settlement.end_event(after));
        }
    }

    fn lost(&self, settlement: &Settlement) {
        let (id, seq) = (settlement.seen().id.clone(), settlement.seen().seq);
        self.0.emit(&WorkerEvent::LeaseLost { id, seq });
    }

    fn abandon(&self, batch: &[Pending]) {
        for pending in batch {
            self.0.abandon(&pending.settlement.job);
        }
    }

    /// Waits before the next try, if there is to be one.
    async fn after_error(&self, error: &Error, errors: u32, batch_len: usize) -> Next {
        match error.kind() {
            ErrorKind::Closed | ErrorKind::Unsupported => Next::GiveUp,
            ErrorKind::Unavailable | ErrorKind::Conflict => Next::Later,
            // One item may be at fault, and must not hold up the others.
            _ if batch_len > 1 => Next::Split,
            ErrorKind::Invalid => Next::GiveUp,
            _ if errors < TRIES_MAX && self.has_patience(errors).await => Next::Retry,
            _ => Next::GiveUp,
        }
    }

    /// Waits after an error; false if the worker gives up meanwhile.
    async fn has_patience(&self, errors: u32) -> bool {
        tokio::select! {
            biased;
            () = self.0.signals.abort.cancelled() => false,
            () = sleep(after_error(errors, &*self.0.rng)) => true,
        }
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
