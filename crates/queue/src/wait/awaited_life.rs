//! What a wait knows of its life, by which it judges a result that comes with a hint.

use super::life_status::StoredResult;
use queue_core::{CompletedJob, Hint, JobId, JobMeta, Kind, Seq};

/// The life that a wait is for, as it was last seen.
#[derive(Debug)]
pub(super) struct AwaitedLife {
    seq: Seq,
    /// The revision of the last read; zero before the first one of a life that began with the wait.
    revision: u64,
    kind: Kind,
}

impl AwaitedLife {
    /// A life that begins with the wait.
    pub(super) fn begin(seq: Seq, kind: Kind) -> Self {
        Self { seq, revision: 0, kind }
    }

    pub(super) fn seen(meta: &JobMeta) -> Self {
        Self { seq: meta.seq, revision: meta.revision, kind: meta.kind.clone() }
    }

    /// Notes what a read has found; an older one changes nothing.
    pub(super) fn note(&mut self, meta: &JobMeta) {
        if meta.seq == self.seq && meta.revision > self.revision {
            *self = Self::seen(meta);
        }
    }

    /// The result that a hint brings, if it is the outcome that the wait is for: of this life, and
    /// of a later revision than the wait has seen. That one was no end, and Completed is final
    /// (I6), so a hint of an earlier one is about writes that the server has lost since.
    pub(super) fn result_in(&self, id: &JobId, hint: &Hint) -> Option<StoredResult> {
        let Hint::Completed(job) = hint else { return None };
        let CompletedJob { id: of, seq, revision, result } = &**job;
        let is_outcome = of == id && *seq == self.seq && *revision > self.revision;
        is_outcome.then(|| StoredResult { kind: self.kind.clone(), result: result.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{ContentType, Payload};

    fn hint(id: &'static str, seq: u64, revision: u64) -> Hint {
        let (id, result) =
            (JobId::from_static(id), Payload::new("1", ContentType::from_static("text/plain")));
        Hint::Completed(Box::new(CompletedJob { id, seq: Seq::new(seq), revision, result }))
    }

    #[test]
    fn a_result_is_taken_of_the_same_life_and_a_later_revision_alone() {
        let life = AwaitedLife { revision: 4, ..AwaitedLife::begin(Seq::new(7), Kind::unnamed()) };
        let id = JobId::from_static("a");
        let takes = |hint: &Hint| life.result_in(&id, hint).is_some();
        assert!(takes(&hint("a", 7, 5)));
        assert!(!takes(&hint("a", 7, 4)), "what was seen at this revision was no end");
        assert!(!takes(&hint("a", 7, 3)), "late");
        assert!(!takes(&hint("a", 6, 5)), "an older life");
        assert!(!takes(&hint("a", 8, 5)), "a newer life");
        assert!(!takes(&hint("b", 7, 5)), "another job");
        assert!(!takes(&Hint::Missed));
    }
}
