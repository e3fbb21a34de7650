use super::{commit::Need, thread::Shared};
use crate::{
    error::Fault,
    journal::{Ahead, Journal, Seen},
    options::Flush,
    state::{PresenceEdit, State},
};
use queue_core::{AnswerRoom, Moment, StoreTime};
use std::{io, sync::Arc};

/// So often the journal is read ahead of the lock. Each time but the last it was given up file by file behind the reader.
const LOADS_MAX: usize = 8;

/// The journal, what it adds up to, and the transaction at hand.
pub(crate) struct Session {
    shared: Arc<Shared>,
    pub(super) journal: Journal,
    pub(super) state: State,
    /// What this handle was told of the time.
    time: StoreTime,
    /// The moment of the transaction at hand.
    pub(super) moment: Moment,
    /// Who showed themselves in it.
    pub(super) presence: Vec<PresenceEdit>,
    /// The state is that of the journal up to its tail.
    is_loaded: bool,
    /// Old segments are given up. Not any more once something in them was damaged: it stays for `fsck`.
    gives_up_segments: bool,
    /// The disk was full when last looked at.
    is_tight: bool,
}

impl Session {
    /// Reads the whole journal, and makes one if there is none.
    pub(super) fn open(shared: Arc<Shared>, journal: Journal) -> Result<Self, Fault> {
        let state = State::new(shared.options.memory_budget_bytes);
        let time = StoreTime::new(shared.options.clock.ticks());
        let presence = Vec::new();
        let mut session = Self {
            shared,
            journal,
            state,
            time,
            moment: Moment::default(),
            presence,
            is_loaded: false,
            gives_up_segments: true,
            is_tight: false,
        };
        let opened = session.lock();
        session.end();
        opened.map(|()| session)
    }

    /// Brings the state up to date and starts a transaction.
    pub(super) fn begin(&mut self, need: Need) -> Result<(), Fault> {
        let begun = self.prepare(need);
        if begun.is_err() {
            self.end();
        }
        self.take_moment();
        begun
    }

    /// Once the state is up to date, and with it the mark.
    fn take_moment(&mut self) {
        let clock = &self.shared.options.clock;
        let floor = self.time.floor(clock.ticks());
        self.moment = Moment::decide(self.state.engine.mark(), clock.now(), floor);
        self.state.keeps_time = false;
    }

    fn prepare(&mut self, need: Need) -> Result<(), Fault> {
        self.journal.check()?;
        if need == Need::Read && self.is_loaded {
            self.journal.check_lock()?;
            match self.journal.catch_up_visible(&mut self.state)? {
                Seen::All => {
                    self.shared.publish(&mut self.state.foreign_news);
                    return Ok(());
                }
                Seen::NeedsLock => {}
            }
        }
        self.lock()?;
        if need == Need::Grow {
            self.is_tight = !self.journal.has_reserve()?;
            if self.is_tight {
                return Err(Fault::io("new jobs are not accepted", io::ErrorKind::StorageFull.into()));
            }
        }
        if need != Need::Read {
            self.state.engine.begin();
        }
        Ok(())
    }

    /// Takes the lock and reads what others wrote; from the beginning, if they gave up what this handle has not read.
    fn lock(&mut self) -> Result<(), Fault> {
        if self.is_loaded {
            self.journal.lock()?;
            match self.journal.catch_up(&mut self.state) {
                Ok(()) => {
                    self.shared.publish(&mut self.state.foreign_news);
                    return Ok(());
                }
                Err(fault) if fault.is_missing() => {
                    tracing::debug!("others gave up segments that were not read yet; all is read anew");
                    self.journal.unlock();
                }
                Err(fault) => return Err(fault),
            }
        }
        self.is_loaded = false;
        self.load()?;
        self.journal.open_reserve()?;
        self.is_loaded = true;
        // What others did meanwhile, and before, is not told apart.
        self.state.foreign_news.clear();
        self.shared.hub.missed();
        Ok(())
    }

    /// Reads the journal from the beginning, and ends with the lock. Others write meanwhile, and wait for the last bit alone.
    fn load(&mut self) -> Result<(), Fault> {
        for _ in 0..LOADS_MAX {
            match self.journal.read_ahead(&mut self.state)? {
                Ahead::Overtaken => continue,
                Ahead::NeedsLock => break,
                Ahead::Read => {}
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

    /// Writes down what changed, as durably as promised, and publishes the hints.
    pub(super) fn commit(&mut self, need: Need) -> Result<(), Fault> {
        if need == Need::Read {
            // It may have begun as more, to be tried again under the lock.
            self.state.engine.commit();
        } else {
            self.write_down(need)?;
        }
        self.presence.clear();
        self.time.note(self.moment.now, self.shared.options.clock.ticks());
        self.state.engine.take_notices().publish(&self.shared.hub);
        Ok(())
    }

    fn write_down(&mut self, need: Need) -> Result<(), Fault> {
        self.journal.make_room()?;
        let Some(mut pending) = self.state.record(&self.journal, &self.presence) else {
            self.state.engine.commit();
            return Ok(());
        };
        let (alone, segment_bytes) = (pending.len(), self.shared.options.segment_bytes);
        if self.gives_up_segments && self.state.is_wasteful(segment_bytes, self.is_tight) {
            let carried = self.state.carry(&mut self.journal, &mut pending);
            // Anything but damage may pass, and is tried again with the next commit.
            self.gives_up_segments = carried.err().is_none_or(|fault| fault.damage().is_none());
        }
        let mut appended = self.journal.append(&pending);
        if appended.as_ref().is_err_and(Fault::is_full) && pending.len() > alone {
            pending.truncate(alone, self.journal.oldest());
            appended = self.journal.append(&pending);
        }
        if appended.as_ref().is_err_and(Fault::is_full) && need != Need::Grow {
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

    /// The room of one answer of `get` or `enqueue`.
    pub(super) fn answer_room(&self) -> AnswerRoom {
        AnswerRoom::new(self.shared.options.limits.answer_bytes_max)
    }

    /// Takes back what changed.
    pub(super) fn rollback(&mut self) {
        self.presence.clear();
        self.state.engine.rollback();
    }

    /// Lets others go on. While a flush is due somebody is asked for it again and again: one that was asked for may
    /// have failed, or found no room among the calls that wait.
    pub(super) fn end(&mut self) {
        self.journal.unlock();
        if matches!(self.shared.options.flush, Flush::Every(_)) && self.journal.owes_flush() {
            self.shared.unflushed.touch();
        }
    }

    /// The last thing that a handle does: what it wrote becomes durable, whatever it promised.
    pub(super) fn close(&mut self) {
        // Nobody is left to be told that it failed, and nobody was promised that it would not.
        if self.journal.flush().is_err() {
            // Where the lock cannot be had there is still what this handle wrote itself.
            drop(self.journal.sync_tail());
        }
        self.journal.unlock();
    }
}
