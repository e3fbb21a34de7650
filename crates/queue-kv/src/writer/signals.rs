//! Gates and end signals: to which jobs a new job sends its signals, what a gate counts, and when
//! it opens.

use super::transaction::Transaction;
use crate::failure::KvResult;
use queue_core::{
    EndOutcome, EndSignal, JobId, QueueName, Seq,
    lifecycle::{Received, Transition, address, look, receive},
};
use queue_store::stored::StoredJob;

impl Transaction<'_> {
    /// Addresses the signals of a new job, and writes the gates that it raises. `None`, and nothing
    /// written, if one of these takes no raise.
    pub(super) fn raise(
        &mut self,
        queue: &QueueName,
        signals: &[EndSignal],
        holder: Option<Seq>,
    ) -> KvResult<Option<Vec<EndSignal>>> {
        let find = |to: &JobId| self.view().find(queue, to);
        let addressed = address(signals, holder, self.now(), find, |target| &mut target.job.meta)?;
        let Some(addressed) = addressed else { return Ok(None) };
        addressed.raised.iter().try_for_each(|target| self.put_record(target))?;
        Ok(Some(addressed.signals))
    }

    /// Looks at the gate of a transition's own job, after its followers, which may have raised it.
    pub(super) fn look_at_gate(&mut self, stored: &mut StoredJob, sent: &Transition) -> KvResult<()> {
        let is_own = |signal: &EndSignal| signal.raises && signal.to == sent.id;
        if sent.then.iter().any(|new| new.end_signals.iter().any(is_own)) {
            let Some(raised) = self.view().life(&sent.queue, sent.seq)? else { return Ok(()) };
            *stored = raised;
        }
        let before = stored.job.meta.clone();
        if look(&mut stored.job.meta, &sent.patch, self.now()) {
            self.write(Some(&before), stored)?;
        }
        Ok(())
    }

    /// Sends the signals of a job that has ended.
    pub(super) fn send(
        &mut self,
        queue: &QueueName,
        signals: &[EndSignal],
        outcome: EndOutcome,
    ) -> KvResult<()> {
        for signal in signals {
            let target = match signal.life {
                Some(life) => self.view().life(queue, life)?,
                // One that came by an import knows only the id, since its job came before the
                // other.
                None => self.view().find(queue, &signal.to)?,
            };
            let Some(mut target) = target else { continue };
            let before = target.job.meta.clone();
            match receive(&mut target.job.meta, signal, outcome, self.now()) {
                Received::Dropped => {}
                Received::Counted => self.put_record(&target)?,
                Received::Opened => self.write(Some(&before), &target)?,
            }
        }
        Ok(())
    }
}
