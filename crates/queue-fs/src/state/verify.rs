//! Cross-checks of the index against the engine.

use super::FsState;
use crate::{
    error::FsFault,
    format::{segment_name, whole_len},
    journal::{Location, SegmentFiles},
};
use queue_core::Timestamp;

impl FsState {
    /// What does not add up, in words: indexes, where jobs stand, and what is in memory. Reads
    /// every payload and result that is not.
    pub(crate) fn verify(
        &mut self,
        files: &mut SegmentFiles,
        now: Timestamp,
    ) -> Result<Vec<String>, FsFault> {
        let mut findings = self.engine.verify(now);
        let (mut resident, mut live) = (0, 0);
        for (seq, entry) in self.index.iter() {
            resident += entry.resident_bytes();
            live += entry.bytes();
            let Some(stored) = self.engine.stored(&entry.queue, seq) else {
                findings.push(format!("{}: the life {seq} stands on the disk alone", entry.queue));
                continue;
            };
            if u64::from(entry.other_bytes) != whole_len(stored) {
                findings.push(format!("{}: the life {seq} is longer or shorter than counted", entry.queue));
            }
            let at_rest = entry.result.as_deref();
            let result = stored.course().result.as_ref();
            if at_rest.is_some() != result.is_some() {
                findings.push(format!("{}: the life {seq} has a result in one place alone", entry.queue));
            }
            let payload = (entry.payload, entry.is_payload_resident, stored.payload.len());
            let result = at_rest
                .zip(result)
                .map(|(at_rest, result)| (at_rest.location, at_rest.is_resident, result.bytes.len()));
            for (location, is_resident, bytes) in [payload].into_iter().chain(result) {
                let expected = if is_resident { location.len as usize } else { 0 };
                findings
                    .extend(check(location, expected, bytes, files)?.map(|what| format!("{seq}: {what}")));
            }
        }
        let jobs = self.engine.jobs();
        if jobs != self.index.len() {
            findings.push(format!("{jobs} jobs, of which {} stand on the disk", self.index.len()));
        }
        if (resident, live) != (self.index.resident_bytes(), self.index.usage.live_bytes) {
            findings.push("the bytes in memory or on the disk are counted wrongly".to_owned());
        }
        Ok(findings)
    }
}

fn check(
    location: Location,
    expected: usize,
    bytes_in_memory: usize,
    files: &mut SegmentFiles,
) -> Result<Option<String>, FsFault> {
    if bytes_in_memory != expected {
        return Ok(Some(format!("{bytes_in_memory} bytes in memory where {expected} should be")));
    }
    let file = segment_name(location.segment);
    Ok(match files.read_body(location) {
        Ok(_) => None,
        Err(fault) if fault.damage().is_some() => {
            Some(format!("the bytes at {file}, byte {}, are damaged", location.offset))
        }
        Err(fault) => return Err(fault),
    })
}
