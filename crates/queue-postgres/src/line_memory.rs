//! Which queues have lines, gates or partitions, as the claims of a handle know it (ADR 54).

use parking_lot::Mutex;
use std::collections::HashMap;

/// Queues that are remembered. Beyond that number the memory starts afresh.
const QUEUES_MAX: usize = 10_000;

/// The queues whose claims go by `claim_lines.sql` at once. It answers right for any queue, and
/// `claim.sql` takes nothing from one with lines; so what is remembered wrongly costs time alone.
#[derive(Debug, Default)]
pub(crate) struct LineMemory(Mutex<HashMap<i32, Seen>>);

/// What the last claim of a queue saw.
#[derive(Clone, Copy, Debug)]
struct Seen {
    lines: Lines,
    has_gates: bool,
    has_partitions: bool,
}

/// What a claim saw of the lines of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// It has none.
    None,
    /// It has some.
    Some,
    /// It has some, of which at least one is to be forgotten: its kind is not paused, and it is
    /// empty.
    Ended,
}

impl LineMemory {
    /// Whether the queue had lines, gates or partitions when it was last looked at.
    pub(crate) fn has(&self, queue: i32) -> bool {
        self.0.lock().contains_key(&queue)
    }

    /// Remembers what was seen of a queue.
    pub(crate) fn saw(&self, queue: i32, lines: Lines, has_gates: bool, has_partitions: bool) {
        let mut queues = self.0.lock();
        if lines == Lines::None && !has_gates && !has_partitions {
            queues.remove(&queue);
            return;
        }
        if queues.len() >= QUEUES_MAX {
            queues.clear();
        }
        queues.insert(queue, Seen { lines, has_gates, has_partitions });
    }

    /// Whether the queue had gates when it was last looked at.
    pub(crate) fn has_gates(&self, queue: i32) -> bool {
        self.0.lock().get(&queue).is_some_and(|seen| seen.has_gates)
    }

    /// Whether the queue had partitions or limits when it was last looked at.
    pub(crate) fn has_partitions(&self, queue: i32) -> bool {
        self.0.lock().get(&queue).is_some_and(|seen| seen.has_partitions)
    }

    /// Whether the queue has lines to be forgotten; it answers so once for each time they were
    /// seen.
    pub(crate) fn take_ended(&self, queue: i32) -> bool {
        let mut queues = self.0.lock();
        let ended = queues.get_mut(&queue).filter(|seen| seen.lines == Lines::Ended);
        ended.is_some_and(|seen| std::mem::replace(&mut seen.lines, Lines::Some) == Lines::Ended)
    }
}

#[cfg(test)]
mod tests {
    use super::{LineMemory, Lines};

    #[test]
    fn lines_to_be_forgotten_are_told_once() {
        let memory = LineMemory::default();
        assert!(!memory.has(1) && !memory.take_ended(1));
        memory.saw(1, Lines::Ended, false, false);
        assert!(memory.take_ended(1) && !memory.take_ended(1) && memory.has(1));
        memory.saw(1, Lines::None, false, false);
        assert!(!memory.has(1));
        memory.saw(1, Lines::None, true, false);
        assert!(memory.has(1) && memory.has_gates(1) && !memory.has_partitions(1));
    }
}
