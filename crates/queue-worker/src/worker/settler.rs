use super::{WorkerEvent, backoff::after_error, settlement::Settlement, shared::Shared};
use queue_core::{
    Applied, Certainty, Error, ErrorKind, JobMeta, Limits, RE_DECIDES_MAX, Result, lifecycle::Transition,
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
    /// Its fate is unknown since a call failed: a missing job then counts as done.
    in_doubt: bool,
    decisions: usize,
}

/// What goes to the store in one call.
#[derive(Default)]
struct Batch {
    pending: Vec<Pending>,
    /// One for each.
    transitions: Vec<Transition>,
    /// Jobs in the call, those that follow included.
    weight: usize,
    /// What they bring.
    bytes: usize,
}

impl Settler {
    pub(super) fn new(shared: Arc<Shared>, inbox: mpsc::UnboundedReceiver<Settlement>) -> Self {
        Self { shared, inbox }
    }

    /// Ends when every sender is gone and everything they sent is settled or given up.
    pub(super) async fn run(mut self) {
        let limits = self.shared.storage.capabilities().limits;
        let batch_max = self.shared.options.settle_batch_max.min(limits.batch_max);
        let mut arrived = Vec::new();
        while self.inbox.recv_many(&mut arrived, batch_max).await > 0 {
            let mut batch = Batch::default();
            for settlement in arrived.drain(..) {
                let Some((pending, transition)) = self.decide(settlement, &limits) else { continue };
                if !batch.fits(&transition, &limits) {
                    self.settle(std::mem::take(&mut batch)).await;
                }
                batch.push(pending, transition);
            }
            self.settle(batch).await;
        }
    }

    /// The first decision about an outcome, which no store refuses for its size.
    fn decide(&self, settlement: Settlement, limits: &Limits) -> Option<(Pending, Transition)> {
        let (pending, transition) = self.decided(Pending { settlement, in_doubt: false, decisions: 1 })?;
        let Err(refusal) = refusal(limits, &transition) else { return Some((pending, transition)) };
        let (settlement, left_out) = pending.settlement.made_storable(refusal);
        if let Some(error) = left_out {
            self.shared.report_error(error);
        }
        self.decided(Pending { settlement, ..pending })
    }

    /// What to send for an outcome. One that leads nowhere has lost its lease; one whose record keeps moving still has it,
    /// so its job is left to lapse.
    fn decided(&self, pending: Pending) -> Option<(Pending, Transition)> {
        if pending.decisions > RE_DECIDES_MAX {
            self.shared.report_error(conflict());
            self.abandon(&[pending]);
            return None;
        }
        let transition = pending.settlement.decide(&self.shared.options.policy);
        if transition.is_none() {
            self.shared.let_go([&*pending.settlement.job]);
            self.lost(&pending.settlement);
        }
        Some((pending, transition?))
    }

    /// Sends a batch until nothing of it is left.
    async fn settle(&self, mut batch: Batch) {
        let mut errors = 0;
        while !batch.pending.is_empty() {
            let Batch { mut pending, transitions, .. } = batch;
            match self.apply(transitions).await {
                Ok(answers) => batch = self.conclude(pending, answers),
                Err(error) => {
                    errors += 1;
                    self.shared.report_error(error.clone());
                    for pending in &mut pending {
                        pending.in_doubt |= error.certainty() == Certainty::Unknown;
                    }
                    match self.after_error(&error, errors, pending.len()).await {
                        Next::Retry => batch = self.batch(pending),
                        Next::Split => return self.settle_each(pending).await,
                        Next::GiveUp => return self.abandon(&pending),
                    }
                }
            }
        }
    }

    async fn settle_each(&self, pending: Vec<Pending>) {
        for pending in pending {
            Box::pin(self.settle(self.batch([pending]))).await;
        }
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
        let answers = tokio::select! {
            biased;
            answers = self.shared.storage.apply(transitions) => answers?.value,
            () = self.shared.signals.cut_off.cancelled() => return Err(unanswered()),
        };
        if answers.len() == sent { Ok(answers) } else { Err(miscounted()) }
    }

    /// Reports what was answered; what must be decided again comes back.
    fn conclude(&self, pending: Vec<Pending>, answers: Vec<Applied>) -> Batch {
        let all = pending.iter().zip(&answers);
        let over = all.filter(|(_, answer)| !matches!(answer, Applied::Stale(_)));
        self.shared.let_go(over.map(|(pending, _)| &*pending.settlement.job));
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
        self.shared.note(settlement.end(&after), || settlement.end_event(after));
    }

    fn lost(&self, settlement: &Settlement) {
        let (id, seq) = (settlement.seen().id.clone(), settlement.seen().seq);
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

fn conflict() -> Error {
    Error::new(ErrorKind::Conflict, "settle", "the record kept moving, so its lease is left to lapse")
}

fn miscounted() -> Error {
    Error::new(ErrorKind::Internal, "apply", "the store did not answer each item of a batch").unknown()
}

fn refusal(limits: &Limits, transition: &Transition) -> Result<()> {
    limits.check_apply(std::slice::from_ref(transition))
}

/// Jobs in a call: its own, and those that follow.
fn weight(transition: &Transition) -> usize {
    1 + transition.then.len()
}

impl Batch {
    /// The first always does: what is too heavy by itself was made into something else.
    fn fits(&self, transition: &Transition, limits: &Limits) -> bool {
        let has_room = self.weight + weight(transition) <= limits.batch_max
            && self.bytes + transition.large_bytes() <= limits.call_bytes_max;
        self.pending.is_empty() || has_room
    }

    fn push(&mut self, pending: Pending, transition: Transition) {
        self.weight += weight(&transition);
        self.bytes += transition.large_bytes();
        self.pending.push(pending);
        self.transitions.push(transition);
    }
}
