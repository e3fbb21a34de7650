use crate::{
    attempt::Halt,
    keys::{self, Family},
    kv::{Check, Key, Kv, Outcome, Versioned, Write},
    row,
    store_clock::StoreClock,
};
use bytes::Bytes;
use queue_core::{Error, Moment, Result, Timestamp};
use std::{collections::BTreeMap, ops::Range};

/// A transaction by hindsight: reads are remembered, writes wait, and one commit does the writes if what was read still
/// stands. Reads see the writes that wait.
///
/// So a verb is written as if nobody else were there, and is simply run again when somebody was.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    kv: &'a dyn Kv,
    moment: Moment,
    /// The stored time, which is behind `now` unless somebody told the same time before.
    mark: Option<Versioned>,
    read: BTreeMap<Key, Option<Versioned>>,
    written: BTreeMap<Key, Option<Bytes>>,
}

impl<'a> Transaction<'a> {
    pub(crate) async fn begin(kv: &'a dyn Kv, clock: &StoreClock) -> Result<Self> {
        let mark = kv.get(&[keys::global(Family::Mark)]).await?.pop().flatten();
        let moment = clock.moment(time(mark.as_ref())?);
        Ok(Self { kv, moment, mark, read: BTreeMap::new(), written: BTreeMap::new() })
    }

    /// The store's time, the same for the whole transaction.
    pub(crate) fn now(&self) -> Timestamp {
        self.moment.now
    }

    /// The same with what the clock said.
    pub(crate) fn moment(&self) -> Moment {
        self.moment
    }

    /// Reads many keys in one call, so that getting them costs no call each.
    pub(crate) async fn load(&mut self, keys: impl IntoIterator<Item = Key>) -> Result<()> {
        let unread: Vec<Key> = keys.into_iter().filter(|key| !self.read.contains_key(key)).collect();
        if unread.is_empty() {
            return Ok(());
        }
        let found = self.kv.get(&unread).await?;
        self.read.extend(unread.into_iter().zip(found));
        Ok(())
    }

    pub(crate) async fn get(&mut self, key: Key) -> Result<Option<Bytes>> {
        if let Some(written) = self.written.get(&key) {
            return Ok(written.clone());
        }
        self.load([key.clone()]).await?;
        Ok(self.read.get(&key).and_then(Option::as_ref).map(|found| found.value.clone()))
    }

    pub(crate) fn put(&mut self, key: Key, value: Bytes) {
        self.written.insert(key, Some(value));
    }

    pub(crate) fn delete(&mut self, key: Key) {
        self.written.insert(key, None);
    }

    /// The first entries of a range as stored: without the writes that wait, and not compared at the commit. Who acts on
    /// an entry gets the record that it speaks of.
    pub(crate) async fn scan(&self, range: Range<Key>, limit: usize) -> Result<Vec<(Key, Bytes)>> {
        let found = self.kv.scan(range, limit).await?;
        Ok(found.into_iter().map(|(key, found)| (key, found.value)).collect())
    }

    /// Does the writes, or halts because what was read has moved.
    pub(crate) async fn commit(mut self) -> Result<(), Halt> {
        if self.written.is_empty() && self.read.len() < 2 {
            return Ok(()); // One key by itself was read at one moment.
        }
        if !self.written.is_empty() {
            self.raise_mark()?;
        }
        let version = |found: Versioned| found.version;
        let checks = self.read.into_iter().map(|(key, found)| Check { key, version: found.map(version) });
        let writes = self.written.into_iter().map(|(key, value)| Write { key, value });
        match self.kv.commit(checks.collect(), writes.collect()).await? {
            Outcome::Done => Ok(()),
            Outcome::Conflict => Err(Halt::Moved),
        }
    }

    /// Writes the time of this transaction, so that no later one is earlier, whoever makes it.
    pub(crate) fn raise_mark(&mut self) -> Result<()> {
        if time(self.mark.as_ref())? < self.now() {
            let key = keys::global(Family::Mark);
            self.put(key.clone(), row::write_number(self.now().as_millis().cast_unsigned()));
            self.read.insert(key, self.mark.clone());
        }
        Ok(())
    }
}

fn time(mark: Option<&Versioned>) -> Result<Timestamp, Error> {
    let Some(mark) = mark else { return Ok(Timestamp::from_millis(i64::MIN)) };
    Ok(Timestamp::from_millis(row::read_number(&mark.value)?.cast_signed()))
}
