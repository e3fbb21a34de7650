//! A simulated directory that knows which of its contents are durable.

use crate::power::sector::{Change, apply, apply_some, chance, pick};
use parking_lot::{Mutex, MutexGuard};
use queue_core::SeededRng;
use std::{collections::BTreeMap, io, sync::Arc};

/// A failure of the disk or the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The power fails: no call works any more, and what was not flushed may be lost.
    Power,
    /// The process dies in the middle of a write; the system lives on.
    Death,
    /// One call fails, a write half done; a failed flush forgets what it had to write.
    Error,
    /// One write finds no room, and is half done.
    NoRoom,
    /// A call fails as with an error, and so does every later call until the disk is repaired.
    Outage,
}

/// The disk. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) names: BTreeMap<String, usize>,
    pub(crate) durable_names: BTreeMap<String, usize>,
    pub(crate) name_changes: Vec<NameChange>,
    pub(crate) files: Vec<Content>,
    calls: u64,
    fails_at: Option<(u64, Failure)>,
    pub(crate) has_failed: bool,
    /// Counts the starts of the machine or the process; files opened before stop working.
    pub(crate) boot: u64,
    is_down: bool,
    /// The handle that has locked each file, if any.
    pub(crate) locked_by: BTreeMap<usize, u64>,
    pub(crate) opened: u64,
    capacity_bytes: Option<u64>,
    /// Whether reads of segments fail.
    pub(crate) fails_reads: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub(crate) live: Vec<u8>,
    pub(crate) durable: Vec<u8>,
    pub(crate) changes: Vec<Change>,
    /// How often the file is open: until it is closed, a file without a name takes up room.
    pub(crate) handles: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum NameChange {
    Set(String, usize),
    Remove(String),
    /// Both changes of names at once.
    Move(String, String, usize),
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(State::default())))
    }

    /// Makes call number `call`, counted from one from now on, fail in this way.
    pub(crate) fn fail_at(&self, call: u64, failure: Failure) {
        let mut state = self.lock();
        (state.calls, state.fails_at, state.has_failed) = (0, Some((call, failure)), false);
    }

    /// Whether the failing call has been made.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().has_failed
    }

    /// Ends all failures.
    pub(crate) fn mend(&self) {
        self.lock().fails_at = None;
    }

    /// The number of calls since the last failure was requested.
    pub(crate) fn calls(&self) -> u64 {
        self.lock().calls
    }

    /// Whether every segment is durable in its present form.
    pub(crate) fn is_flushed(&self) -> bool {
        let state = self.lock();
        let mut segments = state.names.iter().filter(|(name, _)| name.starts_with("journal-"));
        segments.all(|(_, inode)| state.files[*inode].changes.is_empty())
    }

    /// Whether the journal has removed its first segment.
    pub(crate) fn went_round(&self) -> bool {
        let state = self.lock();
        let first = state.names.keys().find(|name| name.starts_with("journal-"));
        first.is_some_and(|name| !name.ends_with("-0000000000000001.log"))
    }

    /// Limits the room on the disk.
    pub(crate) fn set_capacity(&self, bytes: Option<u64>) {
        self.lock().capacity_bytes = bytes;
    }

    /// Lets reads of segments fail from now on, or no longer.
    pub(crate) fn fail_reads(&self, fails: bool) {
        self.lock().fails_reads = fails;
    }

    /// The bytes that all files take up.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.lock().used_bytes()
    }

    /// Ends the process and starts another.
    pub(crate) fn restart(&self) {
        let mut state = self.lock();
        (state.is_down, state.locked_by, state.fails_at) = (false, BTreeMap::new(), None);
        state.boot += 1;
    }

    /// Starts the machine again after a power cut.
    pub(crate) fn power_on(&self, rng: &SeededRng) {
        let mut state = self.lock();
        for file in &mut state.files {
            let changes = std::mem::take(&mut file.changes);
            apply_some(&mut file.durable, &changes, rng);
            file.live.clone_from(&file.durable);
        }
        let changes = std::mem::take(&mut state.name_changes);
        let likelihood = pick(&[0, 50, 100], rng);
        // File systems keep the order of names, so a prefix of the changes survives.
        for change in changes.iter().take_while(|_| chance(likelihood, rng)) {
            change.apply(&mut state.durable_names);
        }
        state.names = state.durable_names.clone();
        drop(state);
        self.restart();
    }

    /// A copy with the same content, everything durable, for damage by hand.
    pub(crate) fn copy(&self) -> Self {
        let state = self.lock();
        let settled = |file: &Content| Content {
            live: file.live.clone(),
            durable: file.live.clone(),
            ..Content::default()
        };
        let files = state.files.iter().map(settled).collect();
        let (names, durable_names) = (state.names.clone(), state.names.clone());
        Self(Arc::new(Mutex::new(State { names, durable_names, files, ..State::default() })))
    }

    /// Changes the bytes of a file by hand.
    pub(crate) fn tamper(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.lock();
        let inode = state.names[name];
        let file = &mut state.files[inode];
        change(&mut file.live);
        file.durable.clone_from(&file.live);
    }

    /// The bytes of a file.
    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        let state = self.lock();
        state.files[state.names[name]].live.clone()
    }

    /// Makes a file by hand, in place of one of that name.
    pub(crate) fn put(&self, name: &str, content: Vec<u8>) {
        let mut state = self.lock();
        state.files.push(Content { live: content.clone(), durable: content, ..Content::default() });
        let inode = state.files.len() - 1;
        state.names.insert(name.to_owned(), inode);
        state.durable_names.insert(name.to_owned(), inode);
    }

    /// Gives a file another name by hand.
    pub(crate) fn rename_by_hand(&self, from: &str, to: &str) {
        let mut state = self.lock();
        let inode = state.names.remove(from).expect("it is there");
        state.durable_names.remove(from);
        state.names.insert(to.to_owned(), inode);
        state.durable_names.insert(to.to_owned(), inode);
    }

    /// Removes a file by hand.
    pub(crate) fn remove_by_hand(&self, name: &str) {
        let mut state = self.lock();
        state.names.remove(name);
        state.durable_names.remove(name);
    }

    /// Names and sizes.
    pub(crate) fn listing(&self) -> Vec<(String, usize)> {
        let state = self.lock();
        state.names.iter().map(|(name, inode)| (name.clone(), state.files[*inode].live.len())).collect()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl State {
    fn used_bytes(&self) -> u64 {
        let is_there =
            |inode: &usize| self.files[*inode].handles > 0 || self.names.values().any(|n| n == inode);
        (0..self.files.len()).filter(is_there).map(|inode| self.files[inode].live.len() as u64).sum()
    }

    /// Counts a call; returns the failure that it meets, if any.
    pub(crate) fn enter(&mut self, boot: u64) -> io::Result<Option<Failure>> {
        if self.is_down || boot != self.boot {
            return Err(io::Error::other("the machine is down"));
        }
        self.calls += 1;
        match self.fails_at {
            Some((call, failure))
                if call == self.calls || (failure == Failure::Outage && call < self.calls) =>
            {
                self.has_failed = true;
                self.is_down = matches!(failure, Failure::Power | Failure::Death);
                Ok(Some(failure))
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn change(&mut self, inode: usize, change: Change) {
        apply(&mut self.files[inode].live, &change);
        self.files[inode].changes.push(change);
    }

    pub(crate) fn has_room_for(&self, inode: usize, end: u64) -> bool {
        let grows = end.saturating_sub(self.files[inode].live.len() as u64);
        self.capacity_bytes.is_none_or(|capacity| self.used_bytes() + grows <= capacity)
    }

    pub(crate) fn forget_sync(&mut self, inode: usize) {
        self.files[inode].changes.clear();
    }
}

pub(crate) fn error(failure: Failure) -> io::Error {
    match failure {
        Failure::NoRoom => io::ErrorKind::StorageFull.into(),
        _ => io::Error::other("injected"),
    }
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        match self {
            Self::Set(name, inode) => drop(names.insert(name.clone(), *inode)),
            Self::Remove(name) => drop(names.remove(name)),
            Self::Move(from, to, inode) => {
                names.remove(from);
                names.insert(to.clone(), *inode);
            }
        }
    }
}

impl Disk {
    pub(crate) fn guarded<T>(
        &self,
        boot: u64,
        run: impl FnOnce(&mut State) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.lock();
        match state.enter(boot)? {
            Some(failure) => Err(error(failure)),
            None => run(&mut state),
        }
    }

    pub(crate) fn boot(&self) -> u64 {
        self.lock().boot
    }
}

impl State {
    pub(crate) fn rename_to(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        self.name_changes.push(change);
    }
}
