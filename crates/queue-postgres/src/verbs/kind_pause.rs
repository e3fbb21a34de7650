//! `set_paused` of a kind: stops or resumes the claims of a kind; and the end of lines (ADR 54).
//!
//! A transaction that adds or deletes a line has locked the row of its queue, so such transactions
//! come one after the other. Claims lock no more than the lines that they move jobs to, pass over
//! locked ones, and so wait for no other.

use crate::{
    call::{BoundQuery, CallConnection, CommitScope, SqlVerb},
    row::foreign,
    verb_error::VerbError,
};
use queue_core::{Kind, Pause, PausedKind, QueueName, Timestamp};
use queue_store::KindPauses;
use sqlx::{Row, postgres::PgRow};

/// Stops or resumes the claims of a kind, for every process.
#[derive(Debug)]
pub(crate) struct PostgresSetKindPaused<'a> {
    pub(crate) queue: &'a QueueName,
    pub(crate) kind: &'a Kind,
    pub(crate) pause: Pause,
}

/// Deletes the lines of a queue whose pauses are over and whose jobs were removed; not if others
/// are about to change its lines, since a claim comes after it, and must not wait for them.
#[derive(Debug)]
pub(crate) struct PostgresForgetLines(pub(crate) i32);

impl SqlVerb for PostgresSetKindPaused<'_> {
    /// An error for a kind that is one too many.
    type Answer = queue_core::Result<()>;

    const NAME: &'static str = "set_paused";

    fn scope(&self) -> CommitScope {
        CommitScope::Transaction
    }

    async fn prepare(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        connection.intern_queue(self.queue).await.map(drop)
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        let queue = connection.intern_queue(self.queue).await?;
        let now = lock_queue(connection, queue).await?;
        let pause = self.pause.at(now);
        let known = find_line(&read_lines(connection, queue).await?, self.kind);
        if let Some(line) = known {
            self.save(connection, queue, line, pause).await?;
        } else if pause.is_on() {
            forget_lines(connection, queue, now).await?;
            let others = read_lines(connection, queue).await?;
            if let Err(refused) = PausedKind::check_room(others.len()) {
                return Ok(Err(refused));
            }
            self.save(connection, queue, free_line(&others), pause).await?;
        }
        forget_lines(connection, queue, now).await?;
        close_queue(connection, queue).await?;
        self.wake(connection, queue).await?;
        Ok(Ok(()))
    }
}

impl PostgresSetKindPaused<'_> {
    async fn save(
        &self,
        connection: &mut CallConnection<'_>,
        queue: i32,
        line: i16,
        pause: Pause,
    ) -> Result<(), VerbError> {
        let kind = self.kind.as_str();
        let save = &connection.handle.statements.save_line;
        let bind =
            |query: BoundQuery| query.bind(queue).bind(line).bind(kind.to_owned()).bind(pause.as_millis());
        connection.write(save, bind).await.map(drop)
    }

    /// Workers that hold jobs ready need a hint of a pause too.
    async fn wake(&self, connection: &mut CallConnection<'_>, queue: i32) -> Result<(), VerbError> {
        connection.notify_wake(queue).await?;
        connection.notices.wake(self.queue);
        Ok(())
    }
}

impl SqlVerb for PostgresForgetLines {
    type Answer = ();

    const NAME: &'static str = "claim";

    fn scope(&self) -> CommitScope {
        CommitScope::Transaction
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        let floor = connection.time_floor();
        let lock = &connection.handle.statements.try_lock_queue;
        let rows = connection.write(lock, |query| query.bind(floor).bind(self.0)).await?;
        let now = connection.note_time(&rows, 0)?.now;
        if rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(1)? {
            forget_lines(connection, self.0, now).await?;
            close_queue(connection, self.0).await?;
        }
        Ok(())
    }
}

/// The pauses of kinds in two columns of a row, as they are at this time; none if the columns are
/// null.
pub(super) fn read_pauses(row: &PgRow, at: usize, now: Timestamp) -> Result<KindPauses, VerbError> {
    let kinds = row.try_get::<Option<Vec<String>>, _>(at)?.unwrap_or_default();
    let pauses = row.try_get::<Option<Vec<i64>>, _>(at + 1)?.unwrap_or_default();
    let pauses = kinds.into_iter().zip(pauses).map(|(text, pause)| {
        let kind = Kind::new(text).map_err(|_| foreign("a kind that is none"))?;
        Ok((kind, Pause::from_millis(pause).at(now)))
    });
    Ok(KindPauses { pauses: pauses.collect::<sqlx::Result<_>>()?, set_aside: 0 })
}

/// The numbers of the lines of a queue and their kinds.
type NumberedKinds = Vec<(i16, String)>;

async fn read_lines(connection: &mut CallConnection<'_>, queue: i32) -> Result<NumberedKinds, VerbError> {
    let rows = connection.read(&connection.handle.statements.lines, |query| query.bind(queue)).await?;
    let line = |row: &PgRow| Ok((row.try_get(0)?, row.try_get(1)?));
    Ok(rows.iter().map(line).collect::<sqlx::Result<_>>()?)
}

fn find_line(lines: &[(i16, String)], kind: &Kind) -> Option<i16> {
    lines.iter().find(|(_, name)| name == kind.as_str()).map(|(line, _)| *line)
}

/// The first number that no line has.
fn free_line(lines: &[(i16, String)]) -> i16 {
    (1..i16::MAX).find(|number| lines.iter().all(|(line, _)| line != number)).expect("there are few lines")
}

/// Locks the row of a queue, and answers the time before it was locked.
async fn lock_queue(connection: &mut CallConnection<'_>, queue: i32) -> Result<Timestamp, VerbError> {
    let floor = connection.time_floor();
    let lock = &connection.handle.statements.lock_queue;
    let rows = connection.write(lock, |query| query.bind(floor).bind(queue)).await?;
    Ok(connection.note_time(&rows, 0)?.now)
}

/// Deletes lines in two statements: the second has a snapshot from after the lines were locked, in
/// which the jobs of every claim stand that held one of them before.
async fn forget_lines(
    connection: &mut CallConnection<'_>,
    queue: i32,
    now: Timestamp,
) -> Result<(), VerbError> {
    let statements = &connection.handle.statements;
    let bind = |query: BoundQuery| query.bind(queue).bind(now.as_millis());
    let rows = connection.write(&statements.lock_ended_lines, bind).await?;
    let ended: Vec<i16> = rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?;
    if !ended.is_empty() {
        connection.write(&statements.delete_lines, |query| query.bind(queue).bind(ended.clone())).await?;
    }
    Ok(())
}

async fn close_queue(connection: &mut CallConnection<'_>, queue: i32) -> Result<(), VerbError> {
    let close = &connection.handle.statements.close_queue;
    connection.write(close, |query| query.bind(queue)).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::free_line;

    #[test]
    fn the_first_number_that_is_free_is_given() {
        let lines = |numbers: &[i16]| numbers.iter().map(|n| (*n, String::new())).collect::<Vec<_>>();
        assert_eq!(free_line(&[]), 1);
        assert_eq!(free_line(&lines(&[1, 2, 4])), 3);
        assert_eq!(free_line(&lines(&[2])), 1);
    }
}
