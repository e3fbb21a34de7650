//! Reading gates and end signals, of the jobs that have some.

use super::Snapshot;
use crate::{
    gate::{read_end_signal, read_gate},
    row::{SqliteRecord, integer},
    sql,
};
use queue_core::{EndSignal, JobMeta, Signalling};
use rusqlite::{OptionalExtension, params};

impl Snapshot<'_> {
    /// A record with its gate.
    pub(super) fn with_gate(&self, mut stored: SqliteRecord) -> rusqlite::Result<SqliteRecord> {
        if stored.has_gate {
            let mut load = self.connection.prepare_cached(sql::LOAD_GATE)?;
            let gate = load.query_row([integer(stored.job.meta.seq.get())], read_gate)?;
            stored.job.meta.gate = Some(Box::new(gate));
        }
        Ok(stored)
    }

    /// What a job sends at its end, or has sent.
    pub(super) fn end_signals(&self, job: &JobMeta) -> rusqlite::Result<Vec<EndSignal>> {
        if job.signalling == Signalling::None {
            return Ok(Vec::new());
        }
        let mut load = self.connection.prepare_cached(sql::LOAD_END_SIGNALS)?;
        load.query_map([integer(job.seq.get())], read_end_signal)?.collect()
    }

    /// The first time-out of a gate.
    pub(super) fn first_gated(&self, queue: i64) -> rusqlite::Result<Option<i64>> {
        let mut first = self.connection.prepare_cached(sql::FIRST_GATED)?;
        first.query_row([queue], |row| row.get(0)).optional()
    }

    /// Timed out by now, though no claim has come to move them.
    pub(super) fn timed_out(&self, queue: i64) -> rusqlite::Result<u64> {
        let mut count = self.connection.prepare_cached(sql::COUNT_TIMED_OUT)?;
        crate::row::counter(
            0,
            count.query_row(params![queue, self.moment.now.as_millis()], |row| row.get(0))?,
        )
    }
}
