//! The rule that bounds the bytes of an answer.

use crate::{Enqueued, JobBody, JobRecord};

/// The bytes that an answer still has room for. The rule is the same for all answers: bodies are
/// taken in order, the first one at any size, until one does not fit; that one and those after it
/// are left out.
///
/// ```
/// use queue_core::AnswerRoom;
///
/// let mut room = AnswerRoom::new(10);
/// assert_eq!([7, 3, 1, 0].map(|bytes| room.takes(bytes)), [true, true, false, false]);
/// assert!(AnswerRoom::new(10).takes(11), "one always fits");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AnswerRoom {
    left: usize,
    is_empty: bool,
    is_full: bool,
}

impl AnswerRoom {
    /// Room for this many bytes.
    pub const fn new(bytes_max: usize) -> Self {
        Self { left: bytes_max, is_empty: true, is_full: false }
    }

    /// Takes a body of this size, or leaves it out.
    pub const fn takes(&mut self, bytes: usize) -> bool {
        self.is_full |= !self.is_empty && bytes > self.left;
        if self.is_full {
            return false;
        }
        self.is_empty = false;
        self.left = self.left.saturating_sub(bytes);
        true
    }

    /// Leaves out the bodies that there is no room for, for stores that read all bodies first.
    pub fn trim_records(mut self, records: &mut [Option<JobRecord>]) {
        for record in records.iter_mut().flatten() {
            record.body.take_if(|body| !self.takes(JobBody::len(body)));
        }
    }

    /// Leaves out the results that there is no room for in the answers of an enqueue.
    pub fn trim_results(mut self, answers: &mut [Vec<Enqueued>]) {
        for answer in answers.iter_mut().flatten() {
            if let Enqueued::Completed { result, .. } = answer {
                result.take_if(|result| !self.takes(result.bytes.len()));
            }
        }
    }

    /// Whether a body was left out.
    pub const fn is_full(&self) -> bool {
        self.is_full
    }
}
