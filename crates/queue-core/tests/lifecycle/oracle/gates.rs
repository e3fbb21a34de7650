//! Gates, as events close and open them.

use queue_core::{
    Gate,
    lifecycle::{Event, TrackedJob},
};

pub(super) fn close(job: &mut TrackedJob, event: &Event) {
    let Event::Suspend { needs, seals, heeds_urgent, .. } = event else { return };
    let before = job.meta.gate.take().map_or_else(Gate::default, |gate| *gate);
    job.meta.gate = Some(Box::new(Gate {
        needs: needs.unwrap_or(before.needs),
        is_sealed: before.is_sealed || *seals,
        heeds_urgent: *heeds_urgent,
        closed_at: Some(job.meta.epoch),
        ..before
    }));
}

pub(super) fn open(job: &mut TrackedJob) {
    if let Some(gate) = &mut job.meta.gate {
        gate.closed_at = None;
    }
}
