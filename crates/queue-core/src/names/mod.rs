//! Names and ids, validated once at the boundary and trusted afterwards.
//!
//! Names and ids are data: no code in this workspace parses one, makes a path of one, or puts one
//! into a query text. A [`QueueGlob`] is compared with names from the outside.

mod invalid_name;
mod job_kind;
mod macros;
mod queue_glob;
mod reserved_queue;

pub use invalid_name::InvalidName;
pub(crate) use invalid_name::check as check_name;
pub use job_kind::{JobKind, NamesKind};
pub use queue_glob::QueueGlob;
pub use reserved_queue::ReservedQueue;

use macros::validated_name;

/// Longest name or id, in bytes of UTF-8.
pub const NAME_BYTES_MAX: usize = 255;

validated_name! {
    /// The name of a queue. Two handles with one name on one store are the same queue.
    QueueName, "queue name"
}
validated_name! {
    /// The id of a job within its queue: the producer's deduplication key, or generated.
    JobId, "job id"
}
validated_name! {
    /// What a job asks for; the worker's router selects the handler by it.
    Kind, "kind"
}
validated_name! {
    /// The holder of a lease. Every start of a process has a fresh id, so that a reused one does
    /// not hide orphaned jobs.
    WorkerId, "worker id"
}
validated_name! {
    /// The name of a series. The series of this library begin with `queue.`.
    SeriesName, "series name"
}
validated_name! {
    /// The key that jobs of a queue share which take turns with others, and whose number of leases
    /// may be [limited](crate::Limit): a customer, say. It stands in listings, so hash personal
    /// data first.
    Partition, "partition"
}
validated_name! {
    /// How payload or result bytes are encoded, such as `application/json`.
    ContentType, "content type"
}

impl Kind {
    /// The kind of jobs whose producer gives none.
    pub fn unnamed() -> Self {
        Self::from_static("default")
    }

    /// Whether the kind begins with `queue.`. Such kinds belong to the jobs that this library
    /// enqueues for itself, such as schedules. Every worker has their handlers, and a worker that
    /// is too old to know such a kind gives its jobs back, uncharged, after a wait. Producers
    /// cannot enqueue them.
    pub fn is_reserved(&self) -> bool {
        is_reserved(self.as_str())
    }
}

/// The same test for constants, in which text cannot be compared.
const fn is_reserved(kind: &str) -> bool {
    matches!(kind.as_bytes(), [b'q', b'u', b'e', b'u', b'e', b'.', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_but_printable_ids_are_data() {
        for id in ["a:b", "../../x", "x:exp", "'; DROP TABLE job; --", "{tag}", "%s", "\u{1F600}", " "] {
            assert_eq!(JobId::new(id).expect("printable").as_str(), id);
        }
    }

    #[test]
    fn the_longest_name_is_accepted_and_one_byte_more_is_not() {
        assert!(JobId::new("é".repeat(127) + "x").is_ok());
        assert!(matches!(JobId::new("é".repeat(128)), Err(InvalidName::TooLong { bytes: 256, .. })));
    }

    #[test]
    fn kinds_are_reserved_by_their_first_word_and_its_dot() {
        for (kind, expected) in [
            ("queue.", true),
            ("queue.schedule", true),
            ("queue", false),
            ("queues.x", false),
            ("Queue.x", false),
            (" queue.x", false),
            ("my.queue.x", false),
        ] {
            assert_eq!(Kind::from_static(kind).is_reserved(), expected, "{kind:?}");
        }
    }

    #[test]
    fn empty_and_control_characters_are_refused() {
        assert!(matches!(QueueName::new(""), Err(InvalidName::Empty { .. })));
        for id in ["a\nb", "\0", "\u{7f}", "\u{85}", "tab\t"] {
            assert!(matches!(JobId::new(id), Err(InvalidName::ControlCharacter { .. })), "{id:?}");
        }
    }
}
