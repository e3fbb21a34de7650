//! What callers ask for.

use super::{Source, Wire, hash, mix};
use bytes::Bytes;
use queue_core::{
    ClaimRequest, Cursor, Detail, Direction, Duty, ImportRequest, Kind, LeaseToken, Limit, LimitScope,
    ListFilter, ListQuery, Partition, PartitionQuery, Prune, PruneRequest, QueueName, QueuesQuery, Seq,
    SeriesEntry, SeriesName, SeriesQuery, Span, State, Tag, Timestamp, Walk, WholeJob, WorkerId, WorkerInfo,
    wire::{Malformed, Writer},
};
use std::ops::Range;

/// What a name of a query ends with that begins just behind that name.
const JUST_BEHIND: char = '\u{1}';

numbered! { Duty }

record! {
    ClaimRequest {
        queue: QueueName,
        worker: WorkerId,
        limit: usize,
        lease: Span,
        token: LeaseToken,
        bytes_max: usize,
        not_after: Option<Timestamp>,
        limited_max: usize,
    }
    ListQuery { queue: QueueName, walk: Walk, filter: ListFilter, after: Option<Cursor>, limit: usize }
    ListFilter {
        states: Vec<State>,
        kind: Option<Kind>,
        worker: Option<WorkerId>,
        tag: Option<Tag>,
        partition: Option<Partition>,
        id_prefix: Option<String>,
        entered: Option<Range<Timestamp>>,
    }
    Limit { running: Option<u32>, weight: u16 }
    PartitionQuery { queue: QueueName, after: Option<Partition>, limit: usize }
    PruneRequest { queue: QueueName, what: Prune, limit: usize }
    ImportRequest { queue: QueueName, after: Seq, jobs: Vec<WholeJob> }
    SeriesEntry { series: SeriesName, slot: i64, writer: WorkerId, bytes: Bytes }
    WorkerInfo {
        id: WorkerId,
        queues: Vec<QueueName>,
        concurrency: u32,
        held: u32,
        host: String,
        about: Bytes,
        duty: Duty,
    }
}

choice! {
    Walk {
        0 = All(direction: Direction),
        1 = State(state: State, direction: Direction),
        2 = Due,
        3 = Scheduled,
        4 = Tagged(tag: Tag, direction: Direction),
        5 = Lapsed,
        6 = Held { token: LeaseToken },
        7 = Gated,
    }
    Direction { 0 = OldestFirst, 1 = NewestFirst }
    Prune { 0 = Expired, 1 = FinishedBefore(age: Span), 2 = Everything }
    Detail { 0 = Meta, 1 = Full }
    Topic { 0 = Wake, 1 = Ends, 2 = All }
}

/// What a stream of hints is about. Those who wait for single jobs share the stream of all ends of
/// their queue, so that a thousand of them need one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Topic {
    Wake,
    /// Jobs that ended, or were removed.
    Ends,
    /// Every change.
    All,
}

impl Wire for Cursor {
    const SCHEMA: u64 = hash(0, "Cursor");

    fn put(&self, out: &mut Writer) {
        out.text(&self.0);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        from.reader.text().map(Self)
    }
}

/// A scope that this list lacks is sent as a number that the other side refuses.
impl Wire for LimitScope {
    const SCHEMA: u64 = mix(hash(0, "LimitScope { each, unpartitioned, partition }"), Partition::SCHEMA);

    fn put(&self, out: &mut Writer) {
        match self {
            Self::EachPartition => out.byte(0),
            Self::Unpartitioned => out.byte(1),
            Self::Partition(partition) => {
                out.byte(2);
                partition.put(out);
            }
            _ => out.byte(u8::MAX),
        }
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        match from.reader.byte()? {
            0 => Ok(Self::EachPartition),
            1 => Ok(Self::Unpartitioned),
            2 => Partition::read(from).map(Self::Partition),
            _ => Err(Malformed("a number stands for no scope of a limit")),
        }
    }
}

impl Wire for QueuesQuery {
    const SCHEMA: u64 = hash(0, "QueuesQuery { start, limit }");

    fn put(&self, out: &mut Writer) {
        out.text(self.start());
        self.limit().put(out);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        let start = from.reader.text()?;
        let limit = usize::read(from)?;
        if start.is_empty() {
            return Ok(Self::all(limit));
        }
        let name = |text: &str| {
            QueueName::new(text).map_err(|_| Malformed("a list of queues begins at what is no name"))
        };
        Ok(match start.strip_suffix(JUST_BEHIND) {
            Some(before) => Self::after(&name(before)?, limit),
            None => Self::from(&name(&start)?, limit),
        })
    }
}

impl Wire for SeriesQuery {
    const SCHEMA: u64 = hash(0, "SeriesQuery { series, slot, writer, end, limit }");

    fn put(&self, out: &mut Writer) {
        let (slot, writer) = self.start();
        self.series().put(out);
        slot.put(out);
        out.text(writer);
        self.end().put(out);
        self.limit().put(out);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        let (series, slot) = (SeriesName::read(from)?, i64::read(from)?);
        let writer = from.reader.text()?;
        let (end, limit) = (i64::read(from)?, usize::read(from)?);
        let query = Self::new(series, slot..end, limit);
        let Some(before) = writer.strip_suffix(JUST_BEHIND) else {
            let is_start = writer.is_empty();
            return is_start.then_some(query).ok_or(Malformed("a series goes on behind what is no writer"));
        };
        let writer = WorkerId::new(before).map_err(|_| Malformed("a series goes on behind no writer"))?;
        Ok(query.behind(slot, &writer))
    }
}
