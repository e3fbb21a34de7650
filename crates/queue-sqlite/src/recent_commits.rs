//! Which queues the last commits wrote, kept in the one row that every commit writes anyway. A file
//! says that something in it changed and nothing more; these notes tell other processes what, so
//! that no worker asks about an unchanged queue.
//!
//! Only hints depend on the notes: a reader that finds none reads the tables again.

use queue_store::News;
use std::collections::{BTreeMap, VecDeque};

/// How many notes are kept. Each takes eight bytes, beside the thousands that the pages of a commit
/// cost. A reader that is further behind treats every queue as changed.
const NOTES_MAX: usize = 16;
/// Bits of a note: the commit, modulo a number that is never reached, the queue, and whether a
/// claim may find more now.
const COMMIT_BITS: u32 = 40;
const QUEUE_BITS: u32 = 23;
const NOTE_BYTES: usize = 8;

/// Notes of the last commits, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecentCommits(VecDeque<CommitNote>);

/// One commit wrote one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommitNote {
    pub(crate) commit: i64,
    pub(crate) queue: i64,
    pub(crate) news: News,
}

impl RecentCommits {
    /// A reader that is at most this many commits behind can pause as long again: half of what the
    /// notes hold.
    pub(crate) const SAFE_LAG: i64 = 8;

    /// Reads the notes of the row.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        Self(
            bytes
                .chunks_exact(NOTE_BYTES)
                .map(|note| CommitNote::read(note.try_into().expect("eight bytes")))
                .collect(),
        )
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|note| note.to_bytes()).collect()
    }

    /// Notes that a commit of this number writes these queues.
    pub(crate) fn note(&mut self, commit: i64, queues: impl IntoIterator<Item = (i64, News)>) {
        self.0.extend(queues.into_iter().map(|(queue, news)| CommitNote { commit, queue, news }));
        let surplus = self.0.len().saturating_sub(NOTES_MAX);
        self.0.drain(..surplus);
    }

    /// The queues that commits after `seen` wrote, without the commits that are left out. `None` if
    /// notes of some of the others were dropped.
    pub(crate) fn since(&self, seen: i64, is_left_out: impl Fn(i64) -> bool) -> Option<BTreeMap<i64, News>> {
        if let Some(oldest) = self.0.front().filter(|_| self.0.len() >= NOTES_MAX) {
            let mut may_be_gone = seen + 1..=oldest.commit;
            if !may_be_gone.all(&is_left_out) {
                return None;
            }
        }
        let mut queues = BTreeMap::new();
        for note in self.0.iter().filter(|note| note.commit > seen && !is_left_out(note.commit)) {
            let news = queues.entry(note.queue).or_insert(note.news);
            *news = note.news.max(*news);
        }
        Some(queues)
    }
}

impl CommitNote {
    fn read(bytes: [u8; NOTE_BYTES]) -> Self {
        let bits = u64::from_le_bytes(bytes);
        let field = |shift: u32, bits_wide: u32| {
            i64::try_from(bits >> shift & ((1 << bits_wide) - 1)).expect("less than 63 bits")
        };
        let news = if bits & 1 == 1 { News::Wakes } else { News::Changed };
        Self { commit: field(QUEUE_BITS + 1, COMMIT_BITS), queue: field(1, QUEUE_BITS), news }
    }

    fn to_bytes(self) -> [u8; NOTE_BYTES] {
        let bits = self.commit << (QUEUE_BITS + 1) | self.queue << 1 | i64::from(self.news == News::Wakes);
        bits.to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::{NOTES_MAX, RecentCommits};
    use queue_store::News;

    fn known(recent: &RecentCommits, seen: i64) -> Option<Vec<(i64, News)>> {
        recent.since(seen, |_| false).map(|queues| queues.into_iter().collect())
    }

    #[test]
    fn notes_read_as_they_were_written_up_to_the_highest_numbers() {
        let mut recent = RecentCommits::default();
        recent.note(1, [(0, News::Changed), ((1 << 23) - 1, News::Wakes)]);
        recent.note((1 << 40) - 1, [(7, News::Changed)]);
        let bytes = recent.to_bytes();
        assert_eq!((bytes.len(), RecentCommits::read(&bytes)), (24, recent));
        assert_eq!(RecentCommits::read(b""), RecentCommits::default());
    }

    #[test]
    fn queues_of_later_commits_are_told_each_once_and_with_the_most_that_happened() {
        let mut recent = RecentCommits::default();
        recent.note(1, [(5, News::Wakes)]);
        recent.note(2, [(7, News::Wakes), (8, News::Changed)]);
        recent.note(3, [(7, News::Changed)]);
        assert_eq!(known(&recent, 1), Some(vec![(7, News::Wakes), (8, News::Changed)]));
        assert_eq!(known(&recent, 3), Some(vec![]));
        let of_others = recent.since(0, |commit| commit == 2).map(|queues| queues.into_keys().collect());
        assert_eq!(of_others, Some(vec![5, 7]));
    }

    #[test]
    fn nothing_is_missed_where_only_notes_of_commits_that_are_left_out_are_gone() {
        let mut recent = RecentCommits::default();
        (1..=50).for_each(|commit| recent.note(commit, [(commit, News::Wakes)]));
        let since = |seen, others: &'static [i64]| {
            recent
                .since(seen, |commit| !others.contains(&commit))
                .map(|queues| queues.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(since(0, &[]), Some(vec![]));
        assert_eq!(since(0, &[40]), Some(vec![40]));
        assert_eq!(since(0, &[20]), None);
        assert_eq!(since(20, &[20]), Some(vec![]));
    }

    #[test]
    fn what_had_to_make_room_is_not_known_any_more() {
        let mut recent = RecentCommits::default();
        let max = i64::try_from(NOTES_MAX).unwrap();
        (1..=max).for_each(|commit| recent.note(commit, [(1, News::Wakes)]));
        assert_eq!(known(&recent, 0), None, "there may have been another note of the first commit");
        assert_eq!(known(&recent, 1), Some(vec![(1, News::Wakes)]));
        recent.note(max + 1, (0..100).map(|queue| (queue, News::Changed)));
        assert_eq!(recent.to_bytes().len(), 8 * NOTES_MAX);
        assert_eq!((known(&recent, max), known(&recent, max + 1)), (None, Some(vec![])));
    }
}
