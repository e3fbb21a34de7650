//! The key of a job's rows: the number of its queue in the high bits, its seq in the low ones.
//!
//! Tables by this key stand in the order of (queue, seq), so that a walk through one queue is a
//! range of them, however much else the file holds, and needs no index.

use crate::error::KeySpaceExhausted;
use queue_core::Seq;

/// Bits of the seq. A thousand jobs each second for 34 years; the 23 bits above them number the
/// queues of a file.
const SEQ_BITS: u32 = 40;
/// No job has this seq: it closes the range of its queue.
pub(crate) const SEQ_END: u64 = (1 << SEQ_BITS) - 1;
/// The highest number of a queue.
const QUEUE_MAX: i64 = (1 << (63 - SEQ_BITS)) - 1;

/// The key of a job. A seq beyond those that are given out becomes the end of the queue's range,
/// which is no job's either: seqs come from callers and from cursors too.
pub(crate) fn key(queue: i64, seq: Seq) -> i64 {
    let seq = seq.get().min(SEQ_END);
    (queue << SEQ_BITS) | i64::try_from(seq).expect("40 bits fit")
}

/// The seq of a key.
pub(crate) fn seq_of(key: i64) -> Seq {
    Seq::new(key.unsigned_abs() & SEQ_END)
}

/// The seq behind this one.
///
/// # Errors
/// If there is none.
pub(crate) fn seq_after(mark: i64) -> Result<Seq, KeySpaceExhausted> {
    let next = u64::try_from(mark).ok().and_then(|mark| mark.checked_add(1));
    next.filter(|next| *next < SEQ_END).map(Seq::new).ok_or(KeySpaceExhausted("jobs"))
}

/// Whether keys have room for the number of a queue.
///
/// # Errors
/// If they have not.
pub(crate) fn check_queue(queue: i64) -> Result<i64, KeySpaceExhausted> {
    if (0..=QUEUE_MAX).contains(&queue) { Ok(queue) } else { Err(KeySpaceExhausted("queues")) }
}

#[cfg(test)]
mod tests {
    use super::{QUEUE_MAX, SEQ_END, check_queue, key, seq_after, seq_of};
    use queue_core::Seq;

    #[test]
    fn keys_stand_in_the_order_of_queues_and_then_of_seqs_and_give_the_seq_back() {
        let last = SEQ_END - 1;
        let mut before = -1;
        for queue in [0, 1, 2, QUEUE_MAX - 1, QUEUE_MAX] {
            for seq in [0, 1, 255, last, SEQ_END].map(Seq::new) {
                let key = key(queue, seq);
                assert!(before < key, "{queue} {seq:?}");
                assert_eq!(seq_of(key), seq);
                before = key;
            }
        }
    }

    #[test]
    fn a_seq_that_no_job_has_is_that_of_no_other_queue() {
        for seq in [SEQ_END, SEQ_END + 1, (1 << 41) + 7, u64::MAX] {
            assert_eq!(key(3, Seq::new(seq)), key(3, Seq::new(SEQ_END)));
        }
    }

    #[test]
    fn numbers_end_before_they_would_change_a_key_of_another_queue() {
        let last = i64::try_from(SEQ_END - 1).expect("it fits");
        assert_eq!(seq_after(last - 1).expect("one is left").get(), SEQ_END - 1);
        assert!(seq_after(last).is_err() && seq_after(i64::MAX).is_err());
        assert!(check_queue(QUEUE_MAX).is_ok() && check_queue(QUEUE_MAX + 1).is_err());
    }
}
