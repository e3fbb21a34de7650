//! The journal and its state on the writer thread, and the transactions on them.

use super::{commit::TransactionKind, thread::FsHandle};
use crate::{
    error::FsFault,
    journal::{Journal, ReadAhead, VisibleRead},
    options::Flush,
    state::{FsState, PresenceEdit},
};
use queue_core::{AnswerRoom, ClockBound, Moment, StoreTime};
use std::{io, sync::Arc};

/// How often reading ahead of the lock is tried. A try is overtaken if writers remove segments
/// before they are read.
const LOADS_MAX: usize = 8;

/// The journal, its state in memory, and the current transaction.
pub(crate) struct JournalSession {
    shared: Arc<FsHandle>,
    pub(super) journal: Journal,
    pub(super) state: FsState,
    /// The last reading of store time by this handle.
    time: StoreTime,
    clock_bound: ClockBound,
    /// The moment of the current transaction.
    pub(super) moment: Moment,
    /// Workers that announced themselves or left in the current transaction.
    pub(super) presence: Vec<PresenceEdit>,
    /// The state matches the journal up to its tail.
    is_loaded: bool,
    /// Old segments may be compacted. This ends once one of them is found damaged, so that `fsck`
    /// still finds it.
    may_compact: bool,
    /// The disk was full at the last check.
    is_tight: bool,
}

impl JournalSession {
    /// Reads the whole journal, or creates one.
    pub(super) fn open(shared: Arc<FsHandle>, journal: Journal) -> Result<Self, FsFault> {
        let state = FsState::new(shared.options.memory_budget_bytes);
        let time = StoreTime::new(shared.options.clock.ticks());
        let clock_bound = shared.options.clock_bound;
        let presence = Vec::new();
        let mut session = Self {
            shared,
            journal,
            state,
            time,
            clock_bound,
            moment: Moment::default(),
            presence,
            is_loaded: false,
            may_compact: true,
            is_tight: false,
        };
        // `lock` reads or makes the journal; the lock itself is held for no longer than that.
        let opened = session.lock();
        session.end();
        opened.map(|()| session)
    }

    /// Whether a segment was found damaged since the store was opened.
    pub(super) fn has_found_damage(&self) -> bool {
        !self.may_compact
    }

    /// Brings the state up to date and starts a transaction.
    pub(super) fn begin(&mut self, need: TransactionKind) -> Result<(), FsFault> {
        let begun = self.prepare(need);
        let begun = begun.and_then(|()| self.decide_moment().inspect_err(|_| self.rollback()));
        if begun.is_err() {
            self.end();
        }
        begun
    }

    /// Decides the moment of the transaction. The state must be up to date, since it has the time
    /// mark.
    fn decide_moment(&mut self) -> Result<(), FsFault> {
        let clock = &self.shared.options.clock;
        let (mark, ticks) = (self.state.engine.mark(), clock.ticks());
        let moment = Moment::decide(mark, clock.now(), self.time.floor(ticks));
        self.clock_bound.check(mark, moment.clock, ticks).map_err(FsFault::clock)?;
        self.moment = moment;
        self.state.keeps_time = false;
        Ok(())
    }

    fn prepare(&mut self, need: TransactionKind) -> Result<(), FsFault> {
        self.journal.check()?;
        if need == TransactionKind::Read && self.is_loaded {
            self.journal.check_lock()?;
            match self.journal.catch_up_visible(&mut self.state)? {
                VisibleRead::All => {
                    self.shared.publish(&mut self.state.foreign_news);
                    return Ok(());
                }
                VisibleRead::NeedsLock => {}
            }
        }
        self.lock()?;
        if need == TransactionKind::Grow {
            // On a full disk new jobs are refused, so that the reserve is left for claims and
            // settles.
            self.is_tight = !self.journal.ensure_reserve()?;
            if self.is_tight {
                return Err(FsFault::io("new jobs are not accepted", io::ErrorKind::StorageFull.into()));
            }
        }
        if need != TransactionKind::Read {
            self.state.engine.begin();
        }
        Ok(())
    }

    /// Takes the lock and reads what other handles wrote. If they removed segments that this handle
    /// has not read, it reads the journal again from the beginning.
    fn lock(&mut self) -> Result<(), FsFault> {
        if self.is_loaded {
            self.journal.lock()?;
            match self.journal.catch_up(&mut self.state) {
                Ok(()) => {
                    self.shared.publish(&mut self.state.foreign_news);
                    return Ok(());
                }
                Err(fault) if fault.is_missing() => {
                    tracing::debug!(
                        "others removed segments that were not read yet; the journal is read again"
                    );
                    self.journal.unlock();
                }
                Err(fault) => return Err(fault),
            }
        }
        self.is_loaded = false;
        self.load()?;
        self.journal.open_reserve()?;
        self.is_loaded = true;
        // After a full replay it is unknown which records are new to the subscribers.
        self.state.foreign_news.clear();
        self.shared.hub.missed();
        Ok(())
    }

    /// Reads the journal from the beginning and ends with the lock held. Other processes write
    /// meanwhile, and wait only while its last part is read.
    fn load(&mut self) -> Result<(), FsFault> {
        for _ in 0..LOADS_MAX {
            match self.journal.read_ahead(&mut self.state)? {
                ReadAhead::Overtaken => continue,
                ReadAhead::NeedsLock => break,
                ReadAhead::Read => {}
            }
            self.journal.lock()?;
            if self.journal.read_rest(&mut self.state)? {
                return Ok(());
            }
            self.journal.unlock();
        }
        self.journal.lock()?;
        self.journal.replay(&mut self.state)
    }

    /// Writes the changes, as durably as promised, and publishes the hints.
    pub(super) fn commit(&mut self, need: TransactionKind) -> Result<(), FsFault> {
        if need == TransactionKind::Read {
            // The transaction may have begun as a write, because a read was retried under the lock.
            self.state.engine.commit();
        } else {
            self.write_down(need)?;
        }
        self.presence.clear();
        self.time.note(self.moment.now, self.shared.options.clock.ticks());
        self.state.engine.take_notices().publish(&self.shared.hub);
        Ok(())
    }

    fn write_down(&mut self, need: TransactionKind) -> Result<(), FsFault> {
        self.journal.make_room()?;
        let Some(mut pending) = self.state.record(&self.journal, &self.presence) else {
            self.state.engine.commit();
            return Ok(());
        };
        let alone = pending.len();
        let segment_bytes = self.shared.options.segment_bytes;
        if self.may_compact && self.state.needs_compaction(segment_bytes, self.is_tight) {
            let compacted = self.state.compact(&mut self.journal, &mut pending);
            // Any failure but damage may pass, so the next commit tries again.
            self.may_compact = compacted.err().is_none_or(|fault| fault.damage().is_none());
        }
        let mut appended = self.journal.append(&pending);
        if appended.as_ref().is_err_and(FsFault::is_full) && pending.len() > alone {
            pending.truncate(alone, self.journal.oldest());
            appended = self.journal.append(&pending);
        }
        if appended.as_ref().is_err_and(FsFault::is_full) && need != TransactionKind::Grow {
            self.is_tight = true;
            if self.journal.spend_reserve()? {
                appended = self.journal.append(&pending);
            }
        }
        appended?;
        self.state.recorded(pending);
        self.journal.tidy();
        Ok(())
    }

    /// The size limit of one answer of `get` or `enqueue`.
    pub(super) fn answer_room(&self) -> AnswerRoom {
        AnswerRoom::new(self.shared.options.limits.answer_bytes_max)
    }

    /// Undoes the changes of the transaction.
    pub(super) fn rollback(&mut self) {
        self.presence.clear();
        self.state.engine.rollback();
    }

    /// Releases the lock. While a flush is due, every transaction asks the flusher for it again: an
    /// earlier request may have failed, or found the mailbox full.
    pub(super) fn end(&mut self) {
        self.journal.unlock();
        if matches!(self.shared.options.flush, Flush::Every(_)) && self.journal.owes_flush() {
            self.shared.unflushed.touch();
        }
    }

    /// Ends the handle: all that it wrote becomes durable, also where its setting promised less.
    pub(super) fn close(&mut self) {
        // No caller is left to report a failure to, and none was promised success.
        if self.journal.flush().is_err() {
            // Without the lock, the records that this handle wrote itself can still be flushed.
            drop(self.journal.sync_tail());
        }
        self.journal.unlock();
    }
}
