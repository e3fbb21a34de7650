//! What a worker announces of itself, and the duty that the store answers.

use crate::{Error, QueueName, Result, WorkerId};
use bytes::Bytes;

/// A worker as it announces itself, for people to look at. No job depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerInfo {
    /// The id of the worker, fresh for every start.
    pub id: WorkerId,
    /// The queues that it works on.
    pub queues: Vec<QueueName>,
    /// How many jobs it runs at once.
    pub concurrency: u32,
    /// How many jobs it holds now.
    pub held: u32,
    /// Host and process, as free text.
    pub host: String,
    /// Further details, at most [`ABOUT_BYTES_MAX`](Self::ABOUT_BYTES_MAX) bytes in the worker's
    /// own format, which stores do not interpret. Workers of this library write what `AboutWorker`
    /// of the crate `queue-worker` reads.
    pub about: Bytes,
    /// The duty that was requested. The store sets this field, and ignores it in an announcement.
    pub duty: Duty,
}

/// What a worker that has announced itself should do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Duty {
    /// Work.
    #[default]
    Work,
    /// Claim nothing more, finish what it runs, and end: see
    /// [`Storage::set_duty`](crate::Storage::set_duty).
    Drain,
    /// Claim nothing, finish what it runs, and stay until it is to work again.
    Pause,
}

impl WorkerInfo {
    /// Longest [`about`](Self::about), in bytes.
    pub const ABOUT_BYTES_MAX: usize = 4096;

    /// A worker with this id, without queues and details.
    pub fn new(id: WorkerId) -> Self {
        Self {
            id,
            queues: Vec::new(),
            concurrency: 0,
            held: 0,
            host: String::new(),
            about: Bytes::new(),
            duty: Duty::Work,
        }
    }

    /// Checks what a store must check before it lists the worker.
    ///
    /// # Errors
    /// `Invalid` if [`about`](Self::about) is too long.
    pub fn check(&self) -> Result<()> {
        let len = self.about.len();
        let max = Self::ABOUT_BYTES_MAX;
        if len > max {
            let message =
                format!("what a worker tells of itself has {len} bytes, and at most {max} are kept");
            return Err(Error::invalid("announce", message));
        }
        Ok(())
    }
}

impl Duty {
    /// The duty of a worker that had this one and is given another: one that drains goes on
    /// draining, since it may have ended already.
    #[must_use]
    pub const fn then(self, next: Self) -> Self {
        match self {
            Self::Drain => Self::Drain,
            Self::Work | Self::Pause => next,
        }
    }

    /// The number that stores write.
    pub const fn as_code(self) -> u8 {
        match self {
            Self::Work => 0,
            Self::Drain => 1,
            Self::Pause => 2,
        }
    }

    /// The duty of a stored number; `None` for any other number.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Work),
            1 => Some(Self::Drain),
            2 => Some(Self::Pause),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn what_is_wanted_comes_back_from_its_number() {
        for duty in [Duty::Work, Duty::Drain, Duty::Pause] {
            assert_eq!(Duty::from_code(duty.as_code()), Some(duty));
        }
        assert_eq!(Duty::from_code(3), None);
    }

    #[test]
    fn a_worker_may_tell_as_much_as_is_kept_and_not_a_byte_more() {
        let mut worker = WorkerInfo::new(WorkerId::from_static("a"));
        worker.about = vec![0; WorkerInfo::ABOUT_BYTES_MAX].into();
        assert!(worker.check().is_ok());
        worker.about = vec![0; WorkerInfo::ABOUT_BYTES_MAX + 1].into();
        assert_eq!(worker.check().unwrap_err().kind(), ErrorKind::Invalid);
    }
}
