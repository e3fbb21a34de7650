//! What one writer counted in one slot, and the bytes of it.

use super::{
    MalformedSeries, WorkCounts,
    wire::{read_histogram, read_sparse, write_histogram, write_sparse},
};
use crate::{
    Kind, QueueName, SeriesEntry,
    wire::{Reader, Writer},
};
use bytes::Bytes;
use std::{cmp::Reverse, collections::BTreeMap};

/// The most kinds that an entry counts separately, over all of its queues. Further kinds are
/// counted as [`other_kinds`] of their queue.
pub const KINDS_MAX: usize = 200;

/// The version of the encoding, which is its first byte.
const VERSION: u8 = 1;

/// The kind under which an entry counts the kinds that it has no room for.
pub fn other_kinds() -> Kind {
    Kind::from_static("queue.other")
}

/// What one writer counted in one slot, for each queue and kind.
#[derive(Clone, Debug, Default)]
pub struct SlotCounts {
    /// Where the counts of each kind are.
    places: BTreeMap<(QueueName, Kind), usize>,
    rows: Vec<CountedKind>,
    /// The place that was used last: mostly the next is the same.
    last: usize,
    /// How many kinds are counted separately, without the reserved one of the others.
    kinds: usize,
}

/// One kind with its counts.
#[derive(Clone, Debug)]
struct CountedKind {
    queue: QueueName,
    kind: Kind,
    counts: WorkCounts,
}

impl SlotCounts {
    /// Whether nothing was counted. What is empty need not be written.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The counts of a kind, to count more.
    #[inline]
    pub fn of_mut(&mut self, queue: &QueueName, kind: &Kind) -> &mut WorkCounts {
        let is_same = |row: &CountedKind| row.kind.is_same(kind) && row.queue.is_same(queue);
        if !self.rows.get(self.last).is_some_and(is_same) {
            self.last = self.place(queue, kind);
        }
        &mut self.rows[self.last].counts
    }

    fn place(&mut self, queue: &QueueName, kind: &Kind) -> usize {
        let key = (queue.clone(), kind.clone());
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        if !kind.is_reserved() {
            if self.kinds >= KINDS_MAX {
                return self.place(queue, &other_kinds());
            }
            self.kinds += 1;
        }
        let place = self.rows.len();
        let (queue, kind) = key.clone();
        self.places.insert(key, place);
        self.rows.push(CountedKind { queue, kind, counts: WorkCounts::default() });
        place
    }

    /// The counts of all kinds, in the order of queues and kinds.
    pub fn iter(&self) -> impl Iterator<Item = (&QueueName, &Kind, &WorkCounts)> {
        self.places.iter().map(|((queue, kind), place)| (queue, kind, &self.rows[*place].counts))
    }

    /// Adds what was counted in another slot.
    pub fn add(&mut self, other: &Self) {
        for (queue, kind, counts) in other.iter() {
            self.of_mut(queue, kind).add(counts);
        }
    }

    /// The bytes of an entry with these counts. The same counts have the same bytes. If they are
    /// more than an entry may have, only the most frequent kinds are counted separately.
    pub fn encode(&self) -> Vec<u8> {
        let mut kinds = self.rows.len();
        let mut bytes = self.encode_whole();
        while bytes.len() > SeriesEntry::BYTES_MAX && kinds > 0 {
            kinds /= 2;
            bytes = self.most_frequent(kinds).encode_whole();
        }
        bytes
    }

    fn encode_whole(&self) -> Vec<u8> {
        let mut queues: Vec<(&QueueName, Vec<(&Kind, &WorkCounts)>)> = Vec::new();
        for (queue, kind, counts) in self.iter() {
            match queues.last_mut() {
                Some((last, kinds)) if *last == queue => kinds.push((kind, counts)),
                _ => queues.push((queue, vec![(kind, counts)])),
            }
        }
        let mut out = Writer::new(VERSION);
        out.number(queues.len() as u64);
        for (queue, kinds) in queues {
            out.text(queue.as_str());
            out.number(kinds.len() as u64);
            for (kind, counts) in kinds {
                out.text(kind.as_str());
                write_sparse(&mut out, &counts.outcomes);
                write_histogram(&mut out, &counts.wait);
                write_histogram(&mut out, &counts.run);
            }
        }
        out.into_bytes()
    }

    /// The same counts, with only so many kinds counted separately.
    fn most_frequent(&self, kinds: usize) -> Self {
        let mut rows: Vec<&CountedKind> = self.rows.iter().collect();
        rows.sort_by_key(|row| Reverse(row.counts.outcomes.iter().sum::<u64>()));
        let mut fewer = Self::default();
        for (at, row) in rows.into_iter().enumerate() {
            let other = other_kinds();
            let kind = if at < kinds { &row.kind } else { &other };
            fewer.of_mut(&row.queue, kind).add(&row.counts);
        }
        fewer
    }

    /// Reads the bytes of an entry.
    ///
    /// # Errors
    /// For bytes that [`encode`](Self::encode) of this version did not make.
    pub fn decode(bytes: Bytes) -> Result<Self, MalformedSeries> {
        let (version, mut from) = Reader::new(bytes)?;
        if version != VERSION {
            return Err(MalformedSeries("its version is not known"));
        }
        let mut counts = Self::default();
        for _ in 0..from.number::<u64>()? {
            let queue: QueueName = from.name()?;
            for _ in 0..from.number::<u64>()? {
                let kind: Kind = from.name()?;
                let outcomes = read_sparse(&mut from)?;
                let (wait, run) = (read_histogram(&mut from)?, read_histogram(&mut from)?);
                counts.of_mut(&queue, &kind).add(&WorkCounts { outcomes, wait, run });
            }
        }
        Ok(from.finish(counts)?)
    }
}

impl PartialEq for SlotCounts {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for SlotCounts {}
