//! The defects about gates and end signals.

use crate::history_planted::{bug::Bug, store::PlantedStore};
use queue_core::{
    Applied, ContentType, Detail, EndSignal, JobId, Kind, NewJob, Payload, Result, Storage, StorageExt,
    lifecycle::{Event, OnProcessing, Policy, Transition},
};

impl PlantedStore {
    pub(super) fn spoil_signal(&self, transition: &mut Transition) {
        if transition.signal.is_some() && self.strikes(Bug::LosesSignals, 3) {
            transition.signal = None;
        }
    }

    pub(super) fn spoil_new(&self, new: &mut NewJob) {
        for signal in new.end_signals.iter_mut().filter(|_| self.has(Bug::IgnoresUrgency)) {
            signal.urgent = false;
        }
    }

    /// Sends the signals of a job that has ended once more.
    pub(super) async fn signal_again(&self, transition: &Transition, applied: &Applied) -> Result<()> {
        let ends = transition.signal.is_some() && applied.is_done();
        if !ends || !self.strikes(Bug::CountsTwice, 2) {
            return Ok(());
        }
        let Some(ended) = self.memory.get_one(&transition.queue, &transition.id, Detail::Full).await? else {
            return Ok(());
        };
        let signals = ended.body.map(|body| body.end_signals).unwrap_or_default();
        let signals = signals.into_iter().map(|signal| EndSignal { raises: false, ..signal });
        let id = JobId::new(format!("ghost-{}", transition.seq.get())).expect("a valid id");
        let payload = Payload::new("", ContentType::from_static("text/plain"));
        let ghost = NewJob::new(id.clone(), Kind::unnamed(), payload).with_end_signals(signals);
        self.memory.enqueue(&transition.queue, vec![vec![ghost]]).await?;
        let cancel = Event::Cancel { processing: OnProcessing::Leave };
        for event in [cancel, Event::Delete] {
            self.memory.change(&transition.queue, &id, event, &Policy::default()).await?;
        }
        Ok(())
    }
}
