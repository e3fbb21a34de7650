//! The writer's connection, its caches, and the transactions on it.

use super::{
    counters::Counters, leased_jobs::LeasedJobs, statements::Statements, target_in_hand::TargetInHand,
    thread::SqliteHandle,
};
use crate::{
    error::SqliteFault,
    key::{check_queue, seq_after},
    lock::{LOCK_RETRY, wait_for_lock},
    recent_commits::RecentCommits,
    row::integer,
};
use queue_core::{AnswerRoom, Moment, QueueName, Seq, SystemClock};
use queue_store::{NoticeLevel, Notices, PartitionChanges};
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use std::collections::HashMap;

/// How many queue numbers are cached. At this limit the cache starts over.
const QUEUES_MAX: usize = 10_000;

/// The writer's connection with its statements, and the current transaction.
pub(crate) struct SqliteSession<'c> {
    connection: &'c Connection,
    shared: &'c SqliteHandle,
    pub(super) statements: Statements<'c>,
    queues: HashMap<QueueName, i64>,
    pub(super) counters: Counters,
    pub(super) partitions: PartitionChanges<i64>,
    pub(super) leased: LeasedJobs,
    /// The job in whose gate the current transaction counts.
    pub(super) in_hand: Option<TargetInHand>,
    pub(super) notices: Notices,
    /// The moment of the current transaction.
    pub(super) moment: Moment,
    /// The mark is written even if nothing else is.
    pub(super) keeps_time: bool,
    seq_mark: i64,
    time_mark: i64,
    commits: i64,
    /// The notes of the last commits.
    recent: RecentCommits,
    /// How often a statement had to be prepared again.
    schema_changes: i32,
    /// What the current transaction adds to the commits: one, if it changed anything.
    own_commits: i64,
    /// Rows changed on the connection before the current transaction.
    changes_before: u64,
}

impl<'c> SqliteSession<'c> {
    /// The session of the writer thread, which lasts as long as the handle.
    pub(super) fn new(connection: &'c Connection, shared: &'c SqliteHandle) -> rusqlite::Result<Self> {
        connection.busy_timeout(LOCK_RETRY)?;
        Ok(Self::on(connection, shared, Statements::prepare(connection)?))
    }

    /// A session on a connection of the application, for one call within its transaction. Its
    /// caches end with it, since the application may roll back what it read.
    pub(super) fn within(connection: &'c Connection, shared: &'c SqliteHandle) -> Self {
        Self::on(connection, shared, Statements::new(connection))
    }

    fn on(connection: &'c Connection, shared: &'c SqliteHandle, statements: Statements<'c>) -> Self {
        Self {
            connection,
            shared,
            statements,
            queues: HashMap::new(),
            counters: Counters::default(),
            partitions: PartitionChanges::default(),
            leased: LeasedJobs::default(),
            in_hand: None,
            notices: Notices::default(),
            moment: Moment::default(),
            keeps_time: false,
            seq_mark: 0,
            time_mark: 0,
            commits: 0,
            recent: RecentCommits::default(),
            schema_changes: 0,
            own_commits: 0,
            changes_before: 0,
        }
    }

    /// The size limit of one answer to an enqueue.
    pub(super) fn answer_room(&self) -> AnswerRoom {
        AnswerRoom::new(self.shared.options.limits.answer_bytes_max)
    }

    /// See [`SqliteHandle::fault`].
    pub(super) fn fault(&self, error: rusqlite::Error) -> SqliteFault {
        self.shared.fault(error)
    }

    /// Takes the write lock and reads the marks as other processes left them.
    pub(super) fn begin(&mut self) -> Result<(), SqliteFault> {
        self.shared.check_files()?;
        self.start_transaction().map_err(|error| self.fault(error))
    }

    fn start_transaction(&mut self) -> rusqlite::Result<()> {
        // Other processes hold the lock in real time and not by the store's clock.
        let timeout = self.shared.options.busy_timeout;
        wait_for_lock(&SystemClock, timeout, || self.statements.begin.execute([]))?;
        self.enter_transaction().inspect_err(|_| self.rollback())?;
        self.notices = Notices::new(NoticeLevel::by(&self.shared.hub));
        Ok(())
    }

    /// Reads what the transaction depends on, once it has the write lock.
    pub(super) fn enter_transaction(&mut self) -> rusqlite::Result<()> {
        self.changes_before = self.connection.total_changes();
        self.load_marks()?;
        self.moment = self.shared.clock.moment(self.time_mark)?;
        self.keeps_time = false;
        Ok(())
    }

    /// Detects a backup that was loaded into the file: the number of commits fell, or the schema
    /// changed. Queues may then have other numbers, and seqs are given out again, so the caches
    /// start over.
    fn load_marks(&mut self) -> rusqlite::Result<()> {
        let commits_before = self.commits;
        let marks = self.statements.load_store.query_row([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, RecentCommits::read(row.get_ref(3)?.as_blob()?)))
        });
        (self.seq_mark, self.time_mark, self.commits, self.recent) = marks?;
        let schema_changes = self.statements.load_store.prepared_again();
        if self.commits < commits_before || schema_changes != self.schema_changes {
            self.schema_changes = schema_changes;
            self.shared.own_commits.forget();
            self.forget();
        }
        Ok(())
    }

    /// Writes the counters and marks of a transaction that changed anything. A transaction that
    /// changed nothing costs nothing, since its commit writes nothing. One that only keeps time
    /// does not count as a commit: otherwise two idle processes would wake each other for as long
    /// as the clock is behind.
    pub(super) fn flush(&mut self) -> rusqlite::Result<()> {
        self.put_down()?;
        self.settle_partitions()?;
        self.own_commits = i64::from(self.has_changes());
        let now = self.moment.now.as_millis();
        if self.own_commits == 0 && (!self.keeps_time || now <= self.time_mark) {
            return Ok(());
        }
        self.recent.note(self.commits + self.own_commits, self.counters.news());
        self.counters.flush(&mut self.statements)?;
        let recent = self.recent.to_bytes();
        let marks = params![self.seq_mark, now, self.commits + self.own_commits, recent];
        self.statements.save_store.execute(marks)?;
        Ok(())
    }

    /// Commits the transaction and publishes the hints.
    pub(super) fn commit(&mut self) -> Result<(), SqliteFault> {
        let own = self.own_commits;
        if own > 0 {
            self.shared.own_commits.begin(self.commits + own);
        }
        if let Err(error) = self.statements.commit.execute([]) {
            self.shared.own_commits.take_back(self.commits + own);
            let fault = self.fault(error).in_commit();
            if own > 0 || !fault.is_full_disk() {
                return Err(fault);
            }
            // The transaction only kept the time, which goes on in this handle, as after a read.
            self.rollback();
        }
        self.commits += own;
        // The commit may have waited for the lock or the disk.
        self.shared.check_files().map_err(SqliteFault::unknown)?;
        self.shared.clock.tell(self.moment);
        self.notices.take().publish(&self.shared.hub);
        Ok(())
    }

    /// Rolls back the transaction and clears what was cached from it.
    pub(super) fn rollback(&mut self) {
        self.forget();
        self.counters.clear();
        self.partitions.clear();
        self.notices.clear();
        if !self.connection.is_autocommit() {
            // If the rollback fails, the next begin fails too, and says why.
            drop(self.statements.rollback.execute([]));
        }
    }

    /// The number of a queue, if it has one.
    pub(super) fn find_queue(&mut self, name: &QueueName) -> rusqlite::Result<Option<i64>> {
        if let Some(queue) = self.queues.get(name) {
            return Ok(Some(*queue));
        }
        let found = self.statements.find_queue.query_row([name.as_str()], |row| row.get(0)).optional()?;
        if let Some(queue) = found {
            self.remember(name, queue);
        }
        Ok(found)
    }

    /// The number of a queue, given now if it had none.
    pub(super) fn intern_queue(&mut self, name: &QueueName) -> rusqlite::Result<i64> {
        if let Some(queue) = self.find_queue(name)? {
            return Ok(queue);
        }
        let queue = self.statements.add_queue.query_row([name.as_str()], |row| row.get(0))?;
        check_queue(queue)?;
        self.remember(name, queue);
        Ok(queue)
    }

    /// A statement that few programs run, and that is prepared when one does.
    pub(super) fn rarely(&self, sql: &str) -> rusqlite::Result<CachedStatement<'c>> {
        self.connection.prepare_cached(sql)
    }

    /// The number that the next life gets.
    pub(super) fn next_seq(&self) -> rusqlite::Result<Seq> {
        self.seq_ahead(0)
    }

    /// The number that a life gets before which so many begin.
    pub(super) fn seq_ahead(&self, before: i64) -> rusqlite::Result<Seq> {
        Ok(seq_after(self.seq_mark + before)?)
    }

    /// That number is taken now.
    pub(super) fn take_seq(&mut self, seq: Seq) {
        self.seq_mark = integer(seq.get());
    }

    /// Numbers of lives go on behind this one, or behind a higher one that was given.
    pub(super) fn raise_seq(&mut self, after: Seq) -> rusqlite::Result<()> {
        let after = integer(after.get());
        if after > self.seq_mark {
            self.seq_mark = after;
            // A change, so that the end of the transaction keeps the mark, also without other
            // changes.
            let marks = params![after, self.time_mark, self.commits, self.recent.to_bytes()];
            self.statements.save_store.execute(marks)?;
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.in_hand = None;
        self.queues.clear();
        self.leased.clear();
    }

    fn remember(&mut self, name: &QueueName, queue: i64) {
        if self.queues.len() >= QUEUES_MAX {
            self.queues.clear();
        }
        self.queues.insert(name.clone(), queue);
    }

    fn has_changes(&self) -> bool {
        self.connection.total_changes() != self.changes_before
    }
}
