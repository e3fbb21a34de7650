use super::{State, shelf::Part};
use crate::{
    error::Fault,
    format::{put_len, segment_name},
    journal::Files,
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
            if shelved.other_bytes != put_len(stored) {
                findings.push(format!("{}: the life {seq} is longer or shorter than counted", shelved.queue));
            }
            let result = shelved.result.zip(stored.body.result.as_ref());
            if shelved.result.is_some() != stored.body.result.is_some() {
                findings.push(format!("{}: the life {seq} has a result in one place alone", shelved.queue));
            }
            for (part, bytes) in [(shelved.payload, &stored.body.payload)].into_iter().chain(result) {
                findings.extend(check(part, bytes.bytes.len(), files)?.map(|what| format!("{seq}: {what}")));
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

fn check(part: Part, bytes_in_memory: usize, files: &mut Files) -> Result<Option<String>, Fault> {
    let expected = if part.is_resident { part.location.len as usize } else { 0 };
    if bytes_in_memory != expected {
        return Ok(Some(format!("{bytes_in_memory} bytes in memory where {expected} should be")));
    }
    let file = segment_name(part.location.segment);
    Ok(match files.read_body(part.location) {
        Ok(_) => None,
        Err(fault) if fault.damage().is_some() => {
            Some(format!("the bytes at {file}, byte {}, are damaged", part.location.offset))
        }
        Err(fault) => return Err(fault),
    })
}
