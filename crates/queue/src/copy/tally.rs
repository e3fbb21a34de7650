//! What a set of records comes to: counts, and a digest that does not depend on their order.

use queue_core::{Seq, State, WholeJob};
use sha2::{Digest, Sha256};
use std::fmt;

/// How many records there are in each state, and a digest over all of them without the numbers of
/// their lives. Two sets of records with one digest are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobTally {
    by_state: [u64; State::ALL.len()],
    /// The sum of the digests of the records, so that their order does not matter.
    sum: [u64; 4],
}

impl JobTally {
    /// How many records are in a state.
    pub const fn of(&self, state: State) -> u64 {
        self.by_state[state.as_code() as usize]
    }

    /// How many records there are.
    pub fn total(&self) -> u64 {
        self.by_state.iter().sum()
    }

    /// The digest, as 64 hexadecimal digits.
    pub fn digest(&self) -> String {
        let [first, second, third, fourth] = self.sum;
        format!("{first:016x}{second:016x}{third:016x}{fourth:016x}")
    }

    pub(super) fn add(&mut self, job: &WholeJob) {
        self.by_state[usize::from(job.meta.state.as_code())] += 1;
        for (sum, part) in self.sum.iter_mut().zip(digest(job)) {
            *sum = sum.wrapping_add(part);
        }
    }
}

impl fmt::Display for JobTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} jobs, digest {}", self.total(), self.digest())
    }
}

/// The same record without the fields that each store sets itself.
pub(super) fn unnumbered(mut job: WholeJob) -> WholeJob {
    job.meta.seq = Seq::new(0);
    job
}

/// The digest of an unnumbered record. What is small goes by its `Debug` text, which names every
/// field, a new one too.
fn digest(job: &WholeJob) -> [u64; 4] {
    let WholeJob { meta, body, attempts } = job;
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(format!("{meta:?}{attempts:?}{:?}{:?}", body.headers, body.payload.content_type).as_bytes());
    part(&body.payload.bytes);
    if let Some(result) = &body.result {
        part(result.content_type.as_str().as_bytes());
        part(&result.bytes);
    }
    part(body.error_details.as_deref().unwrap_or_default());
    let bytes: [u8; 32] = hash.finalize().into();
    std::array::from_fn(|at| {
        let eight: [u8; 8] = std::array::from_fn(|byte| bytes[8 * at + byte]);
        u64::from_be_bytes(eight)
    })
}
