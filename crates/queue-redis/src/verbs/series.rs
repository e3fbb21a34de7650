//! `write_series` and `read_series`: small blobs by slot and writer.

use crate::{
    client::{Access, ScriptRun},
    handle::{HandleState, arg},
    reply::{Reply, corrupt},
    script::{self, Script},
};
use queue_core::{Moment, Result, SeriesEntry, SeriesName, SeriesPage, SeriesQuery, Span, Stamped, WorkerId};
use std::time::Duration;

/// Behind the name of a series and behind a slot; no name has such a character.
const SEPARATOR: char = '\n';

impl HandleState {
    pub(crate) async fn write_series(&self, entry: SeriesEntry, ttl: Duration) -> Result<()> {
        entry.check()?;
        let ttl = Span::new("series ttl", ttl)?;
        let args = vec![
            key(&entry.series, entry.slot, entry.writer.as_str()),
            arg(ttl.as_millis()),
            entry.bytes.to_vec(),
            limit_arg(SeriesEntry::SWEPT_MAX),
        ];
        let script = &script::WRITE_SERIES;
        self.series_call("write_series", script, Access::WritesLightly, args).await.map(drop)
    }

    pub(crate) async fn read_series(&self, query: &SeriesQuery) -> Result<Stamped<SeriesPage>> {
        let (slot, writer) = query.start();
        let series = query.series();
        let first = key(series, slot, writer);
        let args = vec![first, before(series, query.end()), limit_arg(query.limit())];
        let script = &script::READ_SERIES;
        let (moment, mut reply) = self.series_call("read_series", script, Access::Reads, args).await?;
        let mut found = reply.array()?;
        let mut entries = Vec::with_capacity(found.len() / 2);
        while found.len() > 0 {
            let (key, bytes) = (found.bytes()?, found.bytes()?);
            let (slot, writer) = read_key(&key).ok_or_else(|| corrupt("read_series"))?;
            entries.push(SeriesEntry { series: series.clone(), slot, writer, bytes });
        }
        Ok(Stamped::at(moment, query.page(entries)))
    }

    /// Runs a script, and reads the time at the front of its answer.
    async fn series_call(
        &self,
        operation: &'static str,
        script: &'static Script,
        access: Access,
        more: Vec<Vec<u8>>,
    ) -> Result<(Moment, Reply)> {
        let keys = self.queues.namespace().series();
        let mut args = self.clock.args(self.queues.time()).to_vec();
        args.extend(more);
        let run = ScriptRun { operation, script, keys: &keys, args: &args, access };
        let mut reply = Reply::new(operation, self.client.run(&run).await?)?;
        let moment = reply.moment()?;
        self.clock.note(self.queues.time(), moment);
        Ok((moment, reply))
    }
}

fn limit_arg(limit: usize) -> Vec<u8> {
    arg(i64::try_from(limit).unwrap_or(i64::MAX))
}

/// The key of an entry, whose bytes sort as series, slot and writer do.
fn key(series: &SeriesName, slot: i64, writer: &str) -> Vec<u8> {
    [&before(series, slot)[..], SEPARATOR.to_string().as_bytes(), writer.as_bytes()].concat()
}

/// What sorts before all keys of this slot, and behind the keys of the slots before it. The sign is
/// flipped, so that negative numbers sort first.
fn before(series: &SeriesName, slot: i64) -> Vec<u8> {
    format!("{series}{SEPARATOR}{:016x}", slot.cast_unsigned() ^ (1 << 63)).into_bytes()
}

fn read_key(key: &[u8]) -> Option<(i64, WorkerId)> {
    let (_, rest) = std::str::from_utf8(key).ok()?.split_once(SEPARATOR)?;
    let (slot, writer) = rest.split_once(SEPARATOR)?;
    let slot = u64::from_str_radix(slot, 16).ok()? ^ (1 << 63);
    Some((slot.cast_signed(), WorkerId::new(writer).ok()?))
}
