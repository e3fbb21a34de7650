//! One life of a batch, and the ids and tags that belong to it alone.

use super::{BATCH_KIND, BatchName, HALT_KIND};
use queue_core::{EndSignal, InvalidName, JobId, JobMeta, LibraryJob, Seq, Tag};
use std::fmt;

/// One life of a batch: its name, and the number of the job that it is. Both are in the ids of its
/// members, so a later batch of the name never meets them. It is written `NAME@SEQ`.
///
/// ```
/// use queue_core::Seq;
/// use queue_worker::batches::{BatchLife, BatchName};
///
/// let life = BatchLife::new(BatchName::new("import-7")?, Seq::new(12));
/// assert_eq!(life.member("row-1")?.as_str(), "import-7@12/row-1");
/// assert_eq!(life.tag().as_str(), "batch:import-7@12");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BatchLife {
    name: BatchName,
    seq: Seq,
}

/// The callbacks of a batch. Their names are parts of ids, and stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallbackMoment {
    /// At the end, however the members ended.
    End,
    /// At the end, if every member completed.
    Success,
    /// At the end, if a member did not complete, or the batch timed out or was cancelled.
    Failure,
    /// As soon as a member has ended that did not complete.
    FirstFailure,
}

impl CallbackMoment {
    /// Every moment.
    pub const ALL: [Self; 4] = [Self::End, Self::Success, Self::Failure, Self::FirstFailure];

    /// The name in ids and in the stored batch.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Success => "success",
            Self::Failure => "failure",
            Self::FirstFailure => "first-failure",
        }
    }
}

impl BatchLife {
    /// The life of a batch whose job has this number.
    pub const fn new(name: BatchName, seq: Seq) -> Self {
        Self { name, seq }
    }

    /// The life whose job this is; `None` if it is no batch.
    pub fn of(job: &JobMeta) -> Option<Self> {
        if job.kind.as_str() != BATCH_KIND {
            return None;
        }
        let name = BatchName::new(LibraryJob::batch_in(&job.id)?).ok()?;
        Some(Self::new(name, job.seq))
    }

    /// The life that a job is a member of, by its id and its tag together; `None` for a member of
    /// none. It is for people to look at: what counts is the [signal](Self::of_signal) that the
    /// member owes.
    pub fn of_member(job: &JobMeta) -> Option<Self> {
        let (name, rest) = job.id.as_str().split_once('@')?;
        let (seq, _own) = rest.split_once('/')?;
        let life = Self::new(BatchName::new(name).ok()?, Seq::new(seq.parse().ok()?));
        job.tags.contains(&life.tag()).then_some(life)
    }

    /// The life that a signal of a member is to; `None` for a signal to no batch.
    pub fn of_signal(signal: &EndSignal) -> Option<Self> {
        let name = BatchName::new(LibraryJob::batch_in(&signal.to)?).ok()?;
        Some(Self::new(name, signal.life?))
    }

    /// The name.
    pub const fn name(&self) -> &BatchName {
        &self.name
    }

    /// The number of its job.
    pub const fn seq(&self) -> Seq {
        self.seq
    }

    /// The id of the job that a batch of this name is, its coordinator.
    pub fn coordinator_of(name: &BatchName) -> JobId {
        made(format!("{BATCH_KIND}:{name}"))
    }

    /// The id of its coordinator.
    pub fn coordinator(&self) -> JobId {
        Self::coordinator_of(&self.name)
    }

    /// The tag of its members.
    ///
    /// # Panics
    /// Never: with the longest name and number it has 63 bytes.
    pub fn tag(&self) -> Tag {
        Tag::new(format!("batch:{self}")).expect("a short name and a number are a tag")
    }

    /// The id of a member, given the part of it that the producer chose.
    ///
    /// # Errors
    /// If all of it has more than 255 bytes, or the part is empty or has a control character.
    pub fn member(&self, id: &str) -> Result<JobId, InvalidName> {
        // What is wrong with the part alone is said of it alone.
        JobId::new(id)?;
        JobId::new(format!("{self}/{id}"))
    }

    /// What a member sends to the coordinator when it ends. `urgent` if the batch has a callback
    /// for the first failure.
    pub fn signal(&self, urgent: bool) -> EndSignal {
        let signal = EndSignal::to(self.coordinator());
        EndSignal { life: Some(self.seq), raises: true, urgent, ..signal }
    }

    /// The id of the job that cancels the members.
    pub fn halt(&self) -> JobId {
        made(format!("{HALT_KIND}:{self}"))
    }

    /// The id of the operation that cancels the members for the given time.
    pub fn halt_round(&self, round: u32) -> JobId {
        made(format!("{HALT_KIND}:{self}/{round}"))
    }

    /// The id of the operation that sets how long the records of the members are kept.
    pub fn sweep(&self) -> JobId {
        made(format!("{}{self}", LibraryJob::SWEEP_PREFIX))
    }

    /// The id of a callback.
    pub fn callback(&self, moment: CallbackMoment) -> JobId {
        made(format!("batch:{self}/{}", moment.as_str()))
    }

    /// The job that cancels the members, of what was read under its id: any program can give a job
    /// that id.
    pub fn halt_in(found: Option<JobMeta>) -> Option<JobMeta> {
        found.filter(|job| job.kind.as_str() == HALT_KIND)
    }

    /// Whether a job is the coordinator of this life.
    pub fn is(&self, job: &JobMeta) -> bool {
        Self::of(job).as_ref() == Some(self)
    }
}

impl fmt::Display for BatchLife {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.seq.get())
    }
}

fn made(id: String) -> JobId {
    JobId::new(id).expect("a prefix, a short name and numbers are a valid id")
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::TAG_BYTES_MAX;

    #[test]
    fn the_longest_name_and_number_fit_every_id_and_the_tag() {
        let life = BatchLife::new(BatchName::new("n".repeat(36)).unwrap(), Seq::new(u64::MAX));
        assert!(life.tag().as_str().len() < TAG_BYTES_MAX);
        let ids = [life.coordinator(), life.halt(), life.halt_round(u32::MAX), life.sweep()];
        assert!(ids.iter().all(|id| id.as_str().len() < 100));
        assert!(life.member(&"i".repeat(197)).is_ok());
        assert!(life.member(&"i".repeat(198)).is_err(), "all of it has at most 255 bytes");
        assert!(life.member("").is_err());
    }

    #[test]
    fn ids_have_their_stable_form() {
        let life = BatchLife::new(BatchName::new("import-7").unwrap(), Seq::new(12));
        assert_eq!(life.coordinator().as_str(), "queue.batch:import-7");
        assert_eq!(life.halt().as_str(), "queue.halt:import-7@12");
        assert_eq!(life.callback(CallbackMoment::FirstFailure).as_str(), "batch:import-7@12/first-failure");
        assert_eq!(BatchLife::of_signal(&life.signal(true)), Some(life));
    }
}
