use super::{WorkerEvent, backoff::after_error, settlement::Settlement, shared::Shared};
use queue_core::{Applied, Error, ErrorKind, RE_DECIDES_MAX, lifecycle::Transition};
use std::sync::Arc;
use tokio::{sync::mpsc, time::sleep};

/// Stores outcomes in batches: whatever waits when the store is free goes next, nobody waits for a timer. A job keeps its
/// slot until its outcome is durable, and nothing is logged and dropped.
pub(super) struct Settler {
    shared: Arc<Shared>,
    inbox: mpsc::UnboundedReceiver<Settlement>,
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
            let fitting = batch.drain(..).map(|it: Settlement| it.fit(&limits, &self.shared.options.policy));
            let decided: Vec<Pending> = fitting.filter_map(|it| self.decided(it, false, 0)).collect();
            for batch in split(decided, limits.batch_max) {
                self.settle(batch).await;
            }
        }
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
            match self.shared.storage.apply(batch.iter().map(|it| it.transition.clone()).collect()).await {
                Ok(answers) => {
                    let answered = batch.into_iter().zip(answers.value);
                    batch = answered.filter_map(|(pending, answer)| self.conclude(pending, answer)).collect();
                }
                Err(error) if error.kind() == ErrorKind::Invalid && batch.len() > 1 => {
                    for pending in batch {
                        Box::pin(self.settle(vec![pending])).await;
                    }
                    return;
                }
                Err(error) => {
                    errors += 1;
                    if self.gives_up(&error, errors).await {
                        return self.abandon(batch);
                    }
                    for pending in &mut batch {
                        pending.in_doubt = true;
                    }
                }
            }
        }
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
        self.shared.let_go(settlement.seen.seq);
        self.shared.emit(&settlement.done(after));
    }

    fn lost(&self, settlement: &Settlement) {
        let (id, seq) = (settlement.seen.id.clone(), settlement.seen.seq);
        self.shared.let_go(seq);
        self.shared.emit(&WorkerEvent::LeaseLost { id, seq });
    }

    fn abandon(&self, batch: Vec<Pending>) {
        for Pending { settlement, .. } in batch {
            let (id, seq) = (settlement.seen.id.clone(), settlement.seen.seq);
            self.shared.let_go(seq);
            self.shared.emit(&WorkerEvent::Abandoned { id, seq });
        }
    }

    /// Waits before the next try; true when there is none, since nothing will change or shutdown's deadline has come.
    async fn gives_up(&self, error: &Error, errors: u32) -> bool {
        self.shared.report_error(error.clone());
        if matches!(error.kind(), ErrorKind::Invalid | ErrorKind::Closed | ErrorKind::Unsupported) {
            return true;
        }
        tokio::select! {
            () = self.shared.signals.abort.cancelled() => true,
            () = sleep(after_error(errors, &*self.shared.rng)) => false,
        }
    }
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
