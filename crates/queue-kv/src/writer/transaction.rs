//! One transaction of the writing thread, and what it writes at its end.

use crate::{
    KvDatabase, KvWrite,
    failure::{KvFailure, KvResult},
    keys::{self, Family, Key},
    values::{self, QueueMarks, Turns},
    view::{GATED_SLOT, View, mark},
};
use queue_core::{AnswerRoom, Moment, QueueName, Seq, Timestamp};
use queue_store::{NoticeLevel, Notices, PartitionChanges};
use std::collections::BTreeMap;

/// Reads and writes at one moment.
pub(crate) struct Transaction<'a> {
    kv: Box<dyn KvWrite + 'a>,
    pub(super) moment: Moment,
    pub(super) notices: Notices,
    /// Whether the mark is written even if nothing else is.
    pub(super) keeps_time: bool,
    mark: Timestamp,
    /// The newest life, once a call has needed it.
    last_seq: Option<u64>,
    /// The changes to the number of jobs in each slot of a queue.
    counts: BTreeMap<(QueueName, u8), i64>,
    /// The marks of queues that were looked at.
    pub(super) marks: BTreeMap<QueueName, QueueMarks>,
    pub(super) partitions: PartitionChanges<QueueName>,
    /// The turns of queues that were looked at, with whether they are to be written.
    pub(super) turns: BTreeMap<QueueName, (Turns, bool)>,
    answer_bytes_max: usize,
    has_writes: bool,
}

/// A transaction that has written everything it owes.
pub(super) struct FlushedTransaction<'a>(Transaction<'a>);

impl<'a> Transaction<'a> {
    pub(super) fn begin(database: &'a KvDatabase, wanted: NoticeLevel) -> KvResult<Self> {
        let kv = database.kv.begin_write()?;
        let mark = mark(&*kv)?;
        Ok(Self {
            kv,
            moment: database.clock.moment(mark)?,
            notices: Notices::new(wanted),
            keeps_time: false,
            mark,
            last_seq: None,
            counts: BTreeMap::new(),
            marks: BTreeMap::new(),
            partitions: PartitionChanges::default(),
            turns: BTreeMap::new(),
            answer_bytes_max: database.capabilities.limits.answer_bytes_max,
            has_writes: false,
        })
    }

    /// The database with the writes of this transaction.
    pub(super) fn view(&self) -> View<'_> {
        View::new(&*self.kv, self.moment)
    }

    pub(super) fn now(&self) -> Timestamp {
        self.moment.now
    }

    /// The room of one answer to an enqueue.
    pub(super) fn answer_room(&self) -> AnswerRoom {
        AnswerRoom::new(self.answer_bytes_max)
    }

    pub(super) fn put(&mut self, key: &Key, value: &[u8]) -> KvResult<()> {
        self.has_writes = true;
        Ok(self.kv.put(key, value)?)
    }

    pub(super) fn delete(&mut self, key: &Key) -> KvResult<()> {
        self.has_writes = true;
        Ok(self.kv.delete(key)?)
    }

    /// Changes the number of jobs of a queue in a slot.
    pub(super) fn count(&mut self, queue: &QueueName, slot: u8, difference: i64) {
        *self.counts.entry((queue.clone(), slot)).or_default() += difference;
    }

    /// The number of a new life: numbers follow the order of enqueues, and none is given twice.
    pub(super) fn next_seq(&mut self) -> KvResult<Seq> {
        let last = self.last_seq()?;
        self.last_seq = Some(last + 1);
        Ok(Seq::new(last + 1))
    }

    /// Numbers go on behind this one, or behind a higher one that was given.
    pub(super) fn raise_seq(&mut self, after: Seq) -> KvResult<()> {
        if after.get() > self.last_seq()? {
            self.last_seq = Some(after.get());
        }
        Ok(())
    }

    fn last_seq(&self) -> KvResult<u64> {
        match self.last_seq {
            Some(last) => Ok(last),
            None => Ok(self.view().number(&keys::global(Family::LastSeq))?.unwrap_or(0)),
        }
    }

    /// Lists the queue from here on.
    pub(super) fn remember_queue(&mut self, queue: &QueueName) -> KvResult<()> {
        let name = keys::name(queue);
        if self.view().get(&name)?.is_none() {
            self.put(&name, &[])?;
        }
        Ok(())
    }

    /// Writes what a transaction owes besides if it wrote anything: counters and marks, each once.
    /// A transaction that wrote nothing costs nothing, unless it keeps the time.
    pub(super) fn flush(mut self) -> KvResult<FlushedTransaction<'a>> {
        self.settle_partitions()?;
        self.save_turns()?;
        for ((queue, slot), difference) in std::mem::take(&mut self.counts) {
            let counter = keys::count(&queue, slot);
            self.add(&counter, difference)?;
            // The first gated job of a queue marks it, also one whose gate opens in its own step.
            if slot == GATED_SLOT && self.view().number(&counter)?.unwrap_or(0) == 0 {
                self.mark(&queue, |marks| QueueMarks { gated: false, ..marks })?;
            }
        }
        if let Some(last) = self.last_seq {
            self.put(&keys::global(Family::LastSeq), &values::number(last))?;
        }
        if (self.has_writes || self.keeps_time) && self.mark < self.now() {
            let now = values::time(self.now());
            self.put(&keys::global(Family::Mark), &now)?;
        }
        Ok(FlushedTransaction(self))
    }

    fn add(&mut self, counter: &Key, difference: i64) -> KvResult<()> {
        if difference == 0 {
            return Ok(());
        }
        let before = self.view().number(counter)?.unwrap_or(0);
        let after = before.checked_add_signed(difference);
        let after = after.ok_or_else(|| KvFailure::corrupt("a counter has fewer jobs than there were"))?;
        self.put(counter, &values::number(after))
    }
}

impl FlushedTransaction<'_> {
    /// Makes the transaction durable, if it wrote anything; afterwards its callers may learn of
    /// this moment, and subscribers of these hints.
    pub(super) fn commit(self) -> KvResult<(Moment, Notices)> {
        let Transaction { kv, moment, notices, has_writes, .. } = self.0;
        if has_writes {
            kv.commit()?;
        }
        Ok((moment, notices))
    }
}
