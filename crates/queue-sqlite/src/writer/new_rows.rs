//! The rows of new lives: of one, or of several in one statement, since the beginning and the end
//! of a statement cost about as much as a row.

use super::session::SqliteSession;
use crate::{
    key::key,
    row::{born_marks, integer, run_after, terms_column},
};
use queue_core::{EndSignal, Headers, JobMeta, NewJob, Payload, Span};
use rusqlite::{Statement, ToSql, params};

/// The rows of `insert_jobs` and `insert_ready_jobs`. Twenty and more save nothing beyond.
pub(super) const ROWS: usize = 16;

/// The columns of a new life, as `insert_job` takes them.
struct NewRow<'a> {
    key: i64,
    queue: i64,
    meta: &'a JobMeta,
    created_at: i64,
    run_after: i64,
    terms: Option<Vec<u8>>,
    marks: u16,
    expires_in: Option<i64>,
    tags: Option<String>,
    headers: Option<String>,
    payload: &'a Payload,
}

impl<'a> NewRow<'a> {
    fn of(queue: i64, meta: &'a JobMeta, headers: &Headers, payload: &'a Payload) -> Self {
        Self {
            key: key(queue, meta.seq),
            queue,
            meta,
            created_at: meta.created_at.as_millis(),
            run_after: run_after(meta),
            terms: terms_column(meta),
            marks: born_marks(meta),
            expires_in: meta.expires_in.map(Span::as_millis),
            tags: meta.tags.to_text(),
            headers: headers.to_text(),
            payload,
        }
    }

    /// Calls with the columns in their order.
    fn with_columns<T>(&self, run: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
        run(params![
            self.key,
            self.queue,
            self.meta.id.as_str(),
            self.meta.kind.as_str(),
            self.meta.priority,
            self.created_at,
            self.run_after,
            self.terms,
            self.marks,
            self.expires_in,
            self.tags,
            self.headers,
            self.payload.content_type.as_str(),
            &self.payload.bytes[..],
        ])
    }
}

impl SqliteSession<'_> {
    /// Begins a life, unless its id is taken; the answer says whether it did.
    pub(super) fn insert(
        &mut self,
        queue: i64,
        meta: &JobMeta,
        headers: &Headers,
        payload: &Payload,
        end_signals: &[EndSignal],
    ) -> rusqlite::Result<bool> {
        let row = NewRow::of(queue, meta, headers, payload);
        if row.with_columns(|columns| self.statements.insert_job.execute(columns))? == 0 {
            return Ok(false);
        }
        self.begin_life(queue, meta)?;
        self.save_end_signals(meta.seq, end_signals)?;
        self.place(queue, meta)?;
        Ok(true)
    }

    /// Begins `ROWS` lives without end signals, whose numbers follow each other. False, and nothing
    /// written, if one of their ids is taken.
    pub(super) fn insert_together(
        &mut self,
        queue: i64,
        lives: &[(JobMeta, &NewJob)],
    ) -> rusqlite::Result<bool> {
        debug_assert_eq!(lives.len(), ROWS);
        let statement = self.statements.insert_jobs.get()?;
        let mut bound = 0;
        for (meta, new) in lives {
            let row = NewRow::of(queue, meta, &new.headers, &new.payload);
            row.with_columns(|columns| bind(statement, &mut bound, columns))?;
        }
        let inserted = statement.raw_execute()?;
        if inserted < ROWS {
            if inserted > 0 {
                let keys = [0, ROWS - 1].map(|nth| key(queue, lives[nth].0.seq));
                self.statements.take_back_jobs.execute(keys)?;
            }
            return Ok(false);
        }
        lives.iter().try_for_each(|(meta, _)| self.begin_life(queue, meta))?;
        self.place_together(queue, lives)?;
        Ok(true)
    }

    /// Writes what stands beside the row of a new life. Not its end signals, nor its place in line.
    fn begin_life(&mut self, queue: i64, meta: &JobMeta) -> rusqlite::Result<()> {
        self.take_seq(meta.seq);
        for tag in &meta.tags {
            let entry = params![queue, tag.as_str(), integer(meta.seq.get())];
            self.statements.insert_tag.execute(entry)?;
        }
        self.save_gate(meta)?;
        self.enter_state(queue, meta)?;
        self.notices.changed(meta);
        Ok(())
    }

    /// Gives each its place in line.
    fn place_together(&mut self, queue: i64, lives: &[(JobMeta, &NewJob)]) -> rusqlite::Result<()> {
        let now = self.moment.now;
        if !lives.iter().all(|(meta, _)| meta.is_due(now) && meta.partition.is_none()) {
            return lives.iter().try_for_each(|(meta, _)| self.place(queue, meta));
        }
        self.counters.wake(queue);
        let statement = self.statements.insert_ready_jobs.get()?;
        let mut bound = 0;
        for (meta, _) in lives {
            let place = params![queue, meta.priority, meta.run_at.as_millis(), integer(meta.seq.get())];
            bind(statement, &mut bound, place)?;
        }
        statement.raw_execute().map(drop)
    }
}

/// Binds the columns of one more row.
fn bind(statement: &mut Statement<'_>, bound: &mut usize, columns: &[&dyn ToSql]) -> rusqlite::Result<()> {
    columns.iter().try_for_each(|column| {
        *bound += 1;
        statement.raw_bind_parameter(*bound, column)
    })
}
