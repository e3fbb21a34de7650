use super::{WorkerEvent, backoff::after_error, settlement::Settlement, shared::Shared};
use queue_core::{
    Applied, Certainty, Error, ErrorKind, Limits, RE_DECIDES_MAX, Result, lifecycle::Transition,
};
use std::sync::Arc;
use tokio::{sync::mpsc, time::sleep};

/// Stores outcomes in batches: whatever waits when the store is free goes next, nobody waits for a timer. A job keeps its
/// slot until its outcome is durable, and nothing is logged and dropped.
pub(super) struct Settler {
    shared: Arc<Shared>,
    inbox: mpsc::UnboundedReceiver<Settlement>,
}

/// Tries for an outcome that the store neither stores nor refuses; few, since others wait behind it.
const TRIES_MAX: u32 = 4;

/// What follows a call that failed.
enum Next {
    Retry,
    Split,
    GiveUp,
}

/// A settlement that is not through yet.
struct Pending {
    settlement: Settlement,
    transition: Transition,
    /// Its fate is unknown since a call failed: a missing job then counts as done.
    in_doubt: bool,
    decisions: usize,
}

impl Settler {
    pub(super) fn new(shared: Arc<Shared>, inbox: mpsc::UnboundedReceiver<Settlement>) -> Self {
        Self { shared, inbox }
    }

    /// Ends when every sender is gone and everything they sent is settled or given up.
    pub(super) async fn run(mut self) {
        let limits = self.shared.storage.capabilities().limits;
        let batch_max = self.shared.options.settle_batch_max.min(limits.batch_max);
        let mut batch = Vec::new();
        while self.inbox.recv_many(&mut batch, batch_max).await > 0 {
            let decided = batch.drain(..).filter_map(|it| self.decided(self.fit(it, &limits), false, 0));
            let decided: Vec<Pending> = decided.collect();
            for batch in split(decided, limits.batch_max) {
                self.settle(batch).await;
            }
        }
    }

    fn fit(&self, settlement: Settlement, limits: &Limits) -> Settlement {
        let (settlement, left_out) = settlement.fit(limits, &self.shared.options.policy);
        if let Some(error) = left_out {
            self.shared.report_error(error);
        }
        settlement
    }

    fn decided(&self, settlement: Settlement, in_doubt: bool, decisions: usize) -> Option<Pending> {
        match settlement.decide(&self.shared.options.policy) {
            Some(transition) if decisions < RE_DECIDES_MAX => {
                Some(Pending { settlement, transition, in_doubt, decisions: decisions + 1 })
            }
            _ => {
                self.lost(&settlement);
                None
            }
        }
    }

    /// Sends a batch until nothing of it is left.
    async fn settle(&self, mut batch: Vec<Pending>) {
        let mut errors = 0;
        while !batch.is_empty() {
            match self.apply(&batch).await {
                Ok(answers) => {
                    let answered = batch.into_iter().zip(answers);
                    batch = answered.filter_map(|(pending, answer)| self.conclude(pending, answer)).collect();
                }
                Err(error) => {
                    errors += 1;
                    self.shared.report_error(error.clone());
                    for pending in &mut batch {
                        pending.in_doubt |= error.certainty() == Certainty::Unknown;
                    }
                    match self.after_error(&error, errors, batch.len()).await {
                        Next::Retry => {}
                        Next::Split => return self.settle_each(batch).await,
                        Next::GiveUp => return self.abandon(&batch),
                    }
                }
            }
        }
    }

    async fn settle_each(&self, batch: Vec<Pending>) {
        for pending in batch {
            Box::pin(self.settle(vec![pending])).await;
        }
    }

    /// One answer for each of the batch, or an error.
    async fn apply(&self, batch: &[Pending]) -> Result<Vec<Applied>> {
        let sent = batch.iter().map(|it| it.transition.clone()).collect();
        let answers = tokio::select! {
            biased;
            answers = self.shared.storage.apply(sent) => answers?.value,
            () = self.shared.signals.cut_off.cancelled() => return Err(unanswered()),
        };
        if answers.len() == batch.len() { Ok(answers) } else { Err(miscounted()) }
    }

    /// Reports an answer; what must be decided again comes back.
    fn conclude(&self, pending: Pending, answer: Applied) -> Option<Pending> {
        let Pending { settlement, in_doubt, decisions, .. } = pending;
        match answer {
            Applied::Stale(meta) => return self.decided(settlement.again(meta), in_doubt, decisions),
            Applied::Missing if in_doubt => self.done(&settlement, settlement.seen.clone()),
            Applied::Missing | Applied::LeaseLost(_) => self.lost(&settlement),
            Applied::Done(meta) => self.done(&settlement, meta),
        }
        None
    }

    fn done(&self, settlement: &Settlement, after: queue_core::JobMeta) {
        self.shared.let_go(&settlement.job);
        self.shared.emit(&settlement.done(after));
    }

    fn lost(&self, settlement: &Settlement) {
        let (id, seq) = (settlement.seen.id.clone(), settlement.seen.seq);
        self.shared.let_go(&settlement.job);
        self.shared.emit(&WorkerEvent::LeaseLost { id, seq });
    }

    fn abandon(&self, batch: &[Pending]) {
        for pending in batch {
            self.shared.abandon(&pending.settlement.job);
        }
    }

    /// Waits before the next try, if there is to be one.
    async fn after_error(&self, error: &Error, errors: u32, batch_len: usize) -> Next {
        let tries_max = match error.kind() {
            ErrorKind::Closed | ErrorKind::Unsupported => return Next::GiveUp,
            ErrorKind::Unavailable | ErrorKind::Conflict => u32::MAX,
            // One item may be at fault, and must not hold up the others.
            _ if batch_len > 1 => return Next::Split,
            ErrorKind::Invalid => return Next::GiveUp,
            _ => TRIES_MAX,
        };
        if errors >= tries_max {
            return Next::GiveUp;
        }
        tokio::select! {
            biased;
            () = self.shared.signals.abort.cancelled() => Next::GiveUp,
            () = sleep(after_error(errors, &*self.shared.rng)) => Next::Retry,
        }
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Unavailable, "apply", "the store did not answer before the end of the shutdown")
        .unknown()
}

fn miscounted() -> Error {
    Error::new(ErrorKind::Internal, "apply", "the store did not answer each item of a batch").unknown()
}

/// Parts that fit one call of the store, counting the jobs that follow.
fn split(all: Vec<Pending>, weight_max: usize) -> Vec<Vec<Pending>> {
    let mut parts: Vec<Vec<Pending>> = Vec::new();
    let mut room = 0;
    for pending in all {
        let weight = 1 + pending.transition.then.len();
        if weight > room || parts.is_empty() {
            parts.push(Vec::new());
            room = weight_max;
        }
        room = room.saturating_sub(weight);
        parts.last_mut().expect("a part was pushed").push(pending);
    }
    parts
}
