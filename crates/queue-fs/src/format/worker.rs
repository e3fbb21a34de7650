//! The stored form of a worker's presence.

use super::wire::{FieldReader, FieldWriter, Malformed};
use queue_core::{Duty, WorkerInfo};

/// A worker as it showed itself, with its duty.
pub(super) fn write_worker(out: &mut FieldWriter<'_>, worker: &WorkerInfo) {
    out.name(&worker.id);
    out.u32(u32::try_from(worker.queues.len()).unwrap_or(u32::MAX));
    worker.queues.iter().for_each(|queue| out.name(queue));
    out.u32(worker.concurrency);
    out.u32(worker.held);
    out.text(&worker.host);
    out.blob(&worker.about);
    out.u8(worker.duty.as_code());
}

pub(super) fn read_worker(from: &mut FieldReader<'_>) -> Result<WorkerInfo, Malformed> {
    let id = from.name()?;
    let queues = (0..from.u32()?).map(|_| from.name()).collect::<Result<_, _>>()?;
    let (concurrency, held) = (from.u32()?, from.u32()?);
    let (host, about) = (from.text()?.to_owned(), from.bytes()?);
    let duty = Duty::from_code(from.u8()?).ok_or(Malformed("no worker has such a duty"))?;
    Ok(WorkerInfo { id, queues, concurrency, held, host, about, duty })
}
