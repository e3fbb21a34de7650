use super::{counters::Counters, held::Held, statements::Statements, thread::Shared};
use crate::{
    error::Fault,
    key::{check_queue, seq_after},
    lock::{LOCK_RETRY, wait_for_lock},
    recent::Recent,
    row::integer,
};
use queue_core::{AnswerRoom, Moment, QueueName, Seq, SystemClock};
use queue_store::{Notices, Wanted};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

/// Queue numbers that are remembered. Beyond it the memory starts afresh: it is only a cache.
const QUEUES_MAX: usize = 10_000;

/// The writer's connection with its statements, and the transaction at hand.
pub(crate) struct Session<'c> {
    connection: &'c Connection,
    shared: &'c Shared,
    pub(super) statements: Statements<'c>,
    queues: HashMap<QueueName, i64>,
    pub(super) counters: Counters,
    pub(super) held: Held,
    pub(super) notices: Notices,
    /// The moment of the transaction at hand.
    pub(super) moment: Moment,
    /// The mark is written even if nothing else is.
    pub(super) keeps_time: bool,
    seq_mark: i64,
    time_mark: i64,
    commits: i64,
    /// What the last of them wrote.
    recent: Recent,
    /// How often a statement had to be prepared again.
    schema_changes: i32,
    /// What the transaction at hand adds to them: one, if it changed anything.
    own_commits: i64,
    /// Rows changed on the connection before the transaction at hand.
    changes_before: u64,
}

impl<'c> Session<'c> {
    /// The writer's own, which lasts.
    pub(super) fn new(connection: &'c Connection, shared: &'c Shared) -> rusqlite::Result<Self> {
        connection.busy_timeout(LOCK_RETRY)?;
        Ok(Self::on(connection, shared, Statements::prepare(connection)?))
    }

    /// One on a connection of the application, for one call within its transaction. What it remembers goes with it, since
    /// what it read may be rolled back.
    pub(super) fn within(connection: &'c Connection, shared: &'c Shared) -> Self {
        Self::on(connection, shared, Statements::new(connection))
    }

    fn on(connection: &'c Connection, shared: &'c Shared, statements: Statements<'c>) -> Self {
        Self {
            connection,
            shared,
            statements,
            queues: HashMap::new(),
            counters: Counters::default(),
            held: Held::default(),
            notices: Notices::default(),
            moment: Moment::default(),
            keeps_time: false,
            seq_mark: 0,
            time_mark: 0,
            commits: 0,
            recent: Recent::default(),
            schema_changes: 0,
            own_commits: 0,
            changes_before: 0,
        }
    }

    /// The room of one answer to an enqueue.
    pub(super) fn answer_room(&self) -> AnswerRoom {
        AnswerRoom::new(self.shared.options.limits.answer_bytes_max)
    }

    /// See [`Shared::fault`].
    pub(super) fn fault(&self, error: rusqlite::Error) -> Fault {
        self.shared.fault(error)
    }

    /// Takes the write lock and learns what other processes did to the marks.
    pub(super) fn begin(&mut self) -> Result<(), Fault> {
        self.shared.check_files()?;
        self.start_transaction().map_err(|error| self.fault(error))
    }

    fn start_transaction(&mut self) -> rusqlite::Result<()> {
        // Others hold it in real time, whatever the clock of the store says.
        let timeout = self.shared.options.busy_timeout;
        wait_for_lock(&SystemClock, timeout, || self.statements.begin.execute([]))?;
        self.enter_transaction().inspect_err(|_| self.rollback())?;
        self.notices = Notices::new(Wanted::by(&self.shared.hub));
        Ok(())
    }

    /// Learns what the transaction rests on, once it has the write lock.
    pub(super) fn enter_transaction(&mut self) -> rusqlite::Result<()> {
        self.changes_before = self.connection.total_changes();
        self.load_marks()?;
        self.moment = self.shared.clock.moment(self.time_mark);
        self.keeps_time = false;
        Ok(())
    }

    /// Commits only grow, and nobody changes the schema in passing: otherwise somebody has loaded a backup into the file,
    /// where queues may have other numbers, and seqs are given out once more.
    fn load_marks(&mut self) -> rusqlite::Result<()> {
        let commits_before = self.commits;
        let marks = self.statements.load_store.query_row([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, Recent::read(row.get_ref(3)?.as_blob()?)))
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

    /// Writes what a transaction that changed anything owes besides: counters and marks. One that changed nothing
    /// stays free of charge, since committing it writes nothing. One that only keeps time is no news to other processes:
    /// if it counted as a commit, two idle ones would wake each other for as long as the clock is behind.
    pub(super) fn flush(&mut self) -> rusqlite::Result<()> {
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

    /// Makes it durable and publishes the hints.
    pub(super) fn commit(&mut self) -> Result<(), Fault> {
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
            // Nothing but the time was to be written. It goes on in this handle, as after a read.
            self.rollback();
        }
        self.commits += own;
        // It may have waited for the lock or the disk.
        self.shared.check_files().map_err(Fault::unknown)?;
        self.shared.clock.tell(self.moment);
        self.notices.take().publish(&self.shared.hub);
        Ok(())
    }

    /// Forgets the transaction, and everything that was remembered of it.
    pub(super) fn rollback(&mut self) {
        self.forget();
        self.counters.clear();
        self.notices.clear();
        if !self.connection.is_autocommit() {
            // If even this fails, the next begin does too, and says why.
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

    /// The number that the next life gets.
    pub(super) fn next_seq(&self) -> rusqlite::Result<Seq> {
        Ok(seq_after(self.seq_mark)?)
    }

    /// That number is taken now.
    pub(super) fn take_seq(&mut self, seq: Seq) {
        self.seq_mark = integer(seq.get());
    }

    fn forget(&mut self) {
        self.queues.clear();
        self.held.clear();
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
