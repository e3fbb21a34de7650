//! `import`: stores whole records of another store.

use crate::{
    call::{BoundQuery, CallConnection, CommitScope, SqlVerb, intern_priorities},
    row::{count, counter, foreign, imported_flags, integer, name, signal_bits},
    verb_error::VerbError,
};
use queue_core::{
    Attempt, EndSignal, Error, ErrorKind, Gate, ImportRequest, Imported, JobChange, JobId, Reason, Seq, Span,
    Stamped, Timestamp, WholeJob,
};
use sqlx::Row;

/// Stores records as they are, each with a new number. The request was checked before.
#[derive(Debug)]
pub(crate) struct PostgresImport<'a>(pub(crate) &'a ImportRequest);

impl SqlVerb for PostgresImport<'_> {
    type Answer = Stamped<Vec<Imported>>;

    const NAME: &'static str = "import";

    /// A record and its attempts must not be left half-stored.
    fn scope(&self) -> CommitScope {
        CommitScope::Transaction
    }

    async fn prepare(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        let queue = self.intern(connection).await?;
        if self.0.jobs.iter().any(|job| job.meta.gate.is_some()) {
            connection.mark_gates(queue).await?;
        }
        Ok(())
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let queue = self.intern(connection).await?;
        let after = integer(self.0.after.get());
        if after > 0 {
            connection.read(&connection.handle.statements.import_raise, |query| query.bind(after)).await?;
        }
        let mut value = Vec::new();
        if self.0.jobs.is_empty() {
            connection.now().await?;
        } else {
            self.remove_purged(connection, queue).await?;
            let answers = self.store(connection, queue).await?;
            self.store_attempts(connection, queue, &answers).await?;
            self.store_gates(connection, queue, &answers).await?;
            value = self.with_holders(connection, queue, answers).await?;
            connection.notices.wake(&self.0.queue);
        }
        Ok(Stamped::at(connection.latest_time(), value))
    }
}

impl PostgresImport<'_> {
    async fn intern(&self, connection: &mut CallConnection<'_>) -> Result<i32, VerbError> {
        let priorities = self.0.jobs.iter().map(|job| job.meta.priority).collect();
        let queue = intern_priorities(connection, &self.0.queue, priorities).await?;
        if self.0.jobs.iter().any(|job| job.meta.partition.is_some()) {
            connection.mark_partitions(queue).await?;
        }
        Ok(queue)
    }

    fn ids(&self) -> Vec<&str> {
        self.0.jobs.iter().map(|job| job.meta.id.as_str()).collect()
    }

    /// Records past their purge time are absent, and make room for others of their ids.
    async fn remove_purged(&self, connection: &mut CallConnection<'_>, queue: i32) -> Result<(), VerbError> {
        let (floor, origin, handle) = (connection.time_floor(), connection.origin(), connection.handle);
        let rows = connection
            .write(&handle.statements.import_purged, |query| {
                let query = query.bind(floor).bind(queue).bind(self.ids()).bind(None::<i64>);
                query.bind(handle.notify_channel().map(str::to_owned)).bind(origin.clone())
            })
            .await?;
        connection.note_time(&rows, 1)?;
        for row in &rows {
            if row.try_get::<Option<i64>, _>(3)?.is_some() {
                let (seq, revision) = (Seq::new(counter(row, 3)?), counter(row, 4)? + 1);
                let change = JobChange { id: name::<JobId>(row, 2)?, seq, revision, state: None };
                connection.notices.tell(&self.0.queue, change);
            }
        }
        Ok(())
    }

    /// Whether each record was stored; `None` if its id is taken.
    async fn store(
        &self,
        connection: &mut CallConnection<'_>,
        queue: i32,
    ) -> Result<Vec<Option<Imported>>, VerbError> {
        let (floor, origin, handle) = (connection.time_floor(), connection.origin(), connection.handle);
        let rows = connection
            .write(&handle.statements.import, |query| {
                let query = query.bind(floor).bind(queue);
                let query = query.bind(handle.notify_channel().map(str::to_owned)).bind(origin.clone());
                bind_outcomes(bind_jobs(query, &self.0.jobs), &self.0.jobs)
            })
            .await?;
        connection.note_time(&rows, 0)?;
        let mut answers = vec![None; self.0.jobs.len()];
        for row in &rows {
            let at =
                usize::try_from(row.try_get::<i64, _>(1)? - 1).map_err(|_| foreign("no such position"))?;
            let answer = match row.try_get::<Option<i64>, _>(2)? {
                Some(_) => Some(Imported::Stored { seq: Seq::new(counter(row, 2)?) }),
                None => row.try_get::<bool, _>(3)?.then_some(Imported::Purged),
            };
            if let (Some(Imported::Stored { seq }), Some(job)) = (answer, self.0.jobs.get(at)) {
                let (id, revision) = (job.meta.id.clone(), job.meta.revision);
                let change = JobChange { id, seq, revision, state: Some(job.meta.state) };
                connection.notices.tell(&self.0.queue, change);
            }
            *answers.get_mut(at).ok_or_else(|| foreign("no such position"))? = answer;
        }
        Ok(answers)
    }

    async fn store_attempts(
        &self,
        connection: &mut CallConnection<'_>,
        queue: i32,
        answers: &[Option<Imported>],
    ) -> Result<(), VerbError> {
        let mut rows: Vec<(i64, &Attempt)> = Vec::new();
        for (job, answer) in self.0.jobs.iter().zip(answers) {
            if let Some(Imported::Stored { seq }) = answer {
                rows.extend(job.attempts.iter().map(|attempt| (integer(seq.get()), attempt)));
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let of = |rows: &[(i64, &Attempt)], field: fn(&Attempt) -> i64| {
            rows.iter().map(|(_, attempt)| field(attempt)).collect::<Vec<_>>()
        };
        let text = |field: fn(&Attempt) -> &str| {
            rows.iter().map(|(_, attempt)| field(attempt).to_owned()).collect::<Vec<_>>()
        };
        connection
            .write(&connection.handle.statements.import_attempts, |query| {
                query
                    .bind(queue)
                    .bind(rows.iter().map(|(seq, _)| *seq).collect::<Vec<_>>())
                    .bind(of(&rows, |attempt| integer(attempt.epoch)))
                    .bind(of(&rows, |attempt| attempt.claimed_at.as_millis()))
                    .bind(of(&rows, |attempt| attempt.ended_at.as_millis()))
                    .bind(rows.iter().map(|(_, it)| i16::from(it.outcome.as_code())).collect::<Vec<_>>())
                    .bind(text(|attempt| attempt.worker.as_str()))
                    .bind(text(|attempt| &attempt.error_name))
                    .bind(text(|attempt| &attempt.error_message))
            })
            .await?;
        Ok(())
    }

    /// Stores the gates and end signals of records.
    async fn store_gates(
        &self,
        connection: &mut CallConnection<'_>,
        queue: i32,
        answers: &[Option<Imported>],
    ) -> Result<(), VerbError> {
        let stored = self.0.jobs.iter().zip(answers).filter_map(|(job, answer)| match answer {
            Some(Imported::Stored { seq }) => Some((integer(seq.get()), job)),
            _ => None,
        });
        let gates: Vec<(i64, Gate)> =
            stored.clone().filter_map(|(seq, job)| Some((seq, *job.meta.gate.clone()?))).collect();
        if !gates.is_empty() {
            connection.mark_gates(queue).await?;
            let of = |field: fn(&Gate) -> u64| {
                gates.iter().map(|(_, gate)| count(field(gate))).collect::<Vec<_>>()
            };
            let bind = |query: BoundQuery| {
                query
                    .bind(queue)
                    .bind(gates.iter().map(|(seq, _)| *seq).collect::<Vec<_>>())
                    .bind(of(|gate| gate.needs))
                    .bind(of(|gate| gate.signals))
                    .bind(of(|gate| gate.tally.completed))
                    .bind(of(|gate| gate.tally.failed))
                    .bind(of(|gate| gate.tally.cancelled))
                    .bind(gates.iter().map(|(_, gate)| gate.is_sealed).collect::<Vec<_>>())
                    .bind(gates.iter().map(|(_, gate)| gate.heeds_urgent).collect::<Vec<_>>())
                    .bind(gates.iter().map(|(_, gate)| gate.closed_at.map(count)).collect::<Vec<_>>())
            };
            connection.write(&connection.handle.statements.import_gates, bind).await?;
        }
        let signals: Vec<(i64, i16, &EndSignal)> = stored
            .flat_map(|(seq, job)| {
                (0_i16..).zip(&job.body.end_signals).map(move |(n, signal)| (seq, n, signal))
            })
            .collect();
        if signals.is_empty() {
            return Ok(());
        }
        let bind = |query: BoundQuery| {
            query
                .bind(queue)
                .bind(signals.iter().map(|(seq, ..)| *seq).collect::<Vec<_>>())
                .bind(signals.iter().map(|(_, n, _)| *n).collect::<Vec<_>>())
                .bind(signals.iter().map(|(.., signal)| signal.to.to_string()).collect::<Vec<_>>())
                .bind(signals.iter().map(|(.., signal)| signal_bits(signal)).collect::<Vec<_>>())
        };
        connection.write(&connection.handle.statements.import_signals, bind).await.map(drop)
    }

    /// The answers, with the lives that hold the ids which are taken.
    async fn with_holders(
        &self,
        connection: &mut CallConnection<'_>,
        queue: i32,
        answers: Vec<Option<Imported>>,
    ) -> Result<Vec<Imported>, VerbError> {
        let taken: Vec<&str> = self
            .ids()
            .into_iter()
            .zip(&answers)
            .filter(|(_, answer)| answer.is_none())
            .map(|(id, _)| id)
            .collect();
        let mut rows = Vec::new();
        if !taken.is_empty() {
            let floor = connection.time_floor();
            let holders = &connection.handle.statements.import_holders;
            rows = connection.read(holders, |query| query.bind(floor).bind(queue).bind(taken)).await?;
        }
        let mut holders = rows.iter();
        let mut all = Vec::with_capacity(answers.len());
        for answer in answers {
            all.push(if let Some(answer) = answer {
                answer
            } else {
                let row = holders.next().ok_or(sqlx::Error::RowNotFound)?;
                if row.try_get::<Option<i64>, _>(1)?.is_none() {
                    let message = "an id was taken and freed meanwhile; send the batch again";
                    return Err(Error::new(ErrorKind::Conflict, "import", message).into());
                }
                Imported::Taken { seq: Seq::new(counter(row, 1)?) }
            });
        }
        Ok(all)
    }
}

/// The columns that a job has from its enqueue on, and the columns that count what happened to it.
fn bind_jobs(query: BoundQuery, jobs: &[WholeJob]) -> BoundQuery {
    let metas = || jobs.iter().map(|job| &job.meta);
    query
        .bind(metas().map(|meta| meta.id.as_str()).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.kind.as_str()).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.priority).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.created_at.as_millis()).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.run_at.as_millis()).collect::<Vec<_>>())
        .bind(metas().map(|meta| i16::from(meta.state.as_code())).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.reason.map(Reason::as_code).map(i16::from)).collect::<Vec<_>>())
        .bind(metas().map(|meta| integer(meta.revision)).collect::<Vec<_>>())
        .bind(metas().map(|meta| integer(meta.epoch)).collect::<Vec<_>>())
        .bind(metas().map(|meta| i64::from(meta.failures)).collect::<Vec<_>>())
        .bind(metas().map(|meta| i64::from(meta.stalls)).collect::<Vec<_>>())
        .bind(
            metas()
                .map(|meta| meta.terms.to_bytes())
                .map(|terms| Some(terms).filter(|terms| !terms.is_empty()))
                .collect::<Vec<_>>(),
        )
        .bind(metas().map(|meta| meta.expires_in.map(Span::as_millis)).collect::<Vec<_>>())
        .bind(jobs.iter().map(imported_flags).collect::<Vec<_>>())
}

/// The columns of what happened to a job, and the large ones.
fn bind_outcomes(query: BoundQuery, jobs: &[WholeJob]) -> BoundQuery {
    let metas = || jobs.iter().map(|job| &job.meta);
    let bodies = || jobs.iter().map(|job| &job.body);
    let errors = || metas().map(|meta| meta.last_error.as_ref());
    query
        .bind(metas().map(|meta| meta.claimed_at.map(Timestamp::as_millis)).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.failed_at.map(Timestamp::as_millis)).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.finished_at.map(Timestamp::as_millis)).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.purge_at.map(Timestamp::as_millis)).collect::<Vec<_>>())
        .bind(errors().map(|error| error.map(queue_core::Failure::name)).collect::<Vec<_>>())
        .bind(errors().map(|error| error.map(queue_core::Failure::message)).collect::<Vec<_>>())
        .bind(bodies().map(|body| body.error_details.as_deref()).collect::<Vec<_>>())
        .bind(metas().map(queue_core::JobMeta::progress).collect::<Vec<_>>())
        .bind(bodies().map(|body| body.headers.to_text()).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.tags.to_text()).collect::<Vec<_>>())
        .bind(bodies().map(|body| body.payload.content_type.as_str()).collect::<Vec<_>>())
        .bind(bodies().map(|body| &body.payload.bytes[..]).collect::<Vec<_>>())
        .bind(
            bodies().map(|body| body.result.as_ref().map(|it| it.content_type.as_str())).collect::<Vec<_>>(),
        )
        .bind(bodies().map(|body| body.result.as_ref().map(|it| &it.bytes[..])).collect::<Vec<_>>())
        .bind(metas().map(|meta| meta.partition.as_ref().map(ToString::to_string)).collect::<Vec<_>>())
}
