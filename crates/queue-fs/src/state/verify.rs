use super::State;
use crate::{
    error::Fault,
    format::{segment_name, whole_len},
    journal::{Files, Location},
};
use queue_core::Timestamp;

impl State {
    /// What does not add up, in words: indexes, where jobs stand, and what is in memory. Reads every payload and result
    /// that is not.
    pub(crate) fn verify(&mut self, files: &mut Files, now: Timestamp) -> Result<Vec<String>, Fault> {
        let mut findings = self.engine.verify(now);
        let (mut resident, mut live) = (0, 0);
        for (seq, shelved) in self.shelf.iter() {
            resident += shelved.resident_bytes();
            live += shelved.bytes();
            let Some(stored) = self.engine.stored(&shelved.queue, seq) else {
                findings.push(format!("{}: the life {seq} stands on the disk alone", shelved.queue));
                continue;
            };
            if u64::from(shelved.other_bytes) != whole_len(stored) {
                findings.push(format!("{}: the life {seq} is longer or shorter than counted", shelved.queue));
            }
            let (at_rest, result) = (shelved.result.as_deref(), stored.course().result.as_ref());
            if at_rest.is_some() != result.is_some() {
                findings.push(format!("{}: the life {seq} has a result in one place alone", shelved.queue));
            }
            let payload = (shelved.payload, shelved.is_payload_resident, stored.payload.len());
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
        if jobs != self.shelf.len() {
            findings.push(format!("{jobs} jobs, of which {} stand on the disk", self.shelf.len()));
        }
        if (resident, live) != (self.shelf.resident_bytes(), self.shelf.usage.live_bytes) {
            findings.push("the bytes in memory or on the disk are counted wrongly".to_owned());
        }
        Ok(findings)
    }
}

fn check(
    location: Location,
    expected: usize,
    bytes_in_memory: usize,
    files: &mut Files,
) -> Result<Option<String>, Fault> {
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
