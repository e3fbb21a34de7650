//! `apply`: transitions in runs, each route of a run as one statement, until every item has an
//! answer.

use super::{
    amendments::intern_new_priorities,
    columns::{self, Item},
    follow::follow,
    judge::{judge, passes_over, read_completed},
    plan::{Route, followers, is_independent, routes, runs, touches_gates},
};
use crate::{
    call::{CallConnection, CommitScope, SqlVerb, intern_for},
    connection::PoolKind,
    row::{foreign, integer, read_job},
    verb_error::VerbError,
    verbs::{enqueue::take_turns, gates::fold_between},
};
use queue_core::{
    Applied, Error, ErrorKind, QueueName, Stamped, State, Timestamp,
    lifecycle::{Finish, Patch, TrackedJob, Transition, Verdict, apply},
};
use sqlx::Row;
use std::collections::HashMap;

/// Where the columns of a job begin in every answer; before it stands the time.
pub(super) const JOB_AT: usize = 2;
const NOW_AT: usize = 1;
/// Rounds in which items are sent again whose guard did not hold when they were written and did
/// when they were read.
const ROUNDS_MAX: usize = 16;
/// Rounds for items that pass over rows which other transactions hold. After the last one such an
/// item is answered as stale.
const ROUNDS_HELD_MAX: usize = 4;

/// Applies transitions, each atomic by itself, in order.
#[derive(Debug)]
pub(crate) struct PostgresApply<'a>(pub(crate) &'a [Transition]);

/// The answer to an item.
#[derive(Clone, Debug)]
pub(super) struct ItemAnswer {
    pub(super) answer: Applied,
    /// Whether the item was written now, so that what follows it is due.
    pub(super) is_written: bool,
}

impl SqlVerb for PostgresApply<'_> {
    type Answer = Stamped<Vec<Applied>>;

    const NAME: &'static str = "apply";

    fn pool(&self) -> PoolKind {
        let is_heartbeat = self.0.iter().all(|sent| matches!(sent.patch, Patch::Extend { .. }));
        if is_heartbeat { PoolKind::Heartbeats } else { PoolKind::Calls }
    }

    fn scope(&self) -> CommitScope {
        if is_independent(self.0) { CommitScope::Statement } else { CommitScope::Transaction }
    }

    async fn prepare(&self, connection: &mut CallConnection<'_>) -> Result<(), VerbError> {
        for (queue, jobs) in followers(self.0.iter()) {
            intern_for(connection, queue, jobs.into_iter()).await?;
        }
        for sent in self.0.iter().filter(|sent| touches_gates(sent)) {
            if let Some(queue) = connection.find_queue(&sent.queue).await? {
                connection.mark_gates(queue).await?;
            }
        }
        intern_new_priorities(connection, self.0).await
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Self::Answer, VerbError> {
        for (name, jobs) in followers(self.0.iter()) {
            let queue = connection.intern_queue(name).await?;
            let own = self.0.iter().filter(|sent| sent.queue == *name).map(|sent| &sent.id);
            take_turns(connection, queue, &jobs, own).await?;
        }
        apply_all(connection, self.0).await
    }
}

/// Applies transitions on a connection; this call or its caller commits.
pub(crate) async fn apply_all(
    connection: &mut CallConnection<'_>,
    batch: &[Transition],
) -> Result<Stamped<Vec<Applied>>, VerbError> {
    if batch.is_empty() {
        return Ok(Stamped::at(connection.now().await?, Vec::new()));
    }
    intern_new_priorities(connection, batch).await?;
    let mut value = Vec::with_capacity(batch.len());
    for run in runs(batch) {
        let (is_last, run) = (run.end == batch.len(), &batch[run]);
        let mut applied = apply_run(connection, run).await?;
        // A caller's transaction may last, and a fold keeps others from the gate until the commit.
        if !is_last && !connection.is_in_callers_transaction() {
            fold_between(connection, run, &mut applied).await?;
        }
        value.extend(applied);
    }
    if !connection.knows_time() {
        connection.now().await?;
    }
    Ok(Stamped::at(connection.latest_time(), value))
}

/// Writes items that do not depend on each other, and then what follows them.
async fn apply_run(
    connection: &mut CallConnection<'_>,
    run: &[Transition],
) -> Result<Vec<Applied>, VerbError> {
    let queues = numbers(connection, run).await?;
    let mut answers: Vec<Option<ItemAnswer>> = run
        .iter()
        .map(|sent| {
            let is_known = queues.contains_key(&sent.queue);
            (!is_known).then_some(ItemAnswer { answer: Applied::Missing, is_written: false })
        })
        .collect();
    // A row may move between the write and the read that explains it, so open items go again.
    for round in 1..=ROUNDS_MAX {
        write_open(connection, run, &queues, &mut answers).await?;
        judge_open(connection, run, &queues, &mut answers, round).await?;
        if answers.iter().all(Option::is_some) {
            let mut answers: Vec<ItemAnswer> = answers.into_iter().flatten().collect();
            follow(connection, run, &queues, &mut answers).await?;
            return Ok(answers.into_iter().map(|item| item.answer).collect());
        }
    }
    let message = "the jobs kept moving; read them and decide afresh";
    Err(Error::new(ErrorKind::Conflict, "apply", message).into())
}

/// The numbers of the queues of a run; a queue that never had a job has none.
async fn numbers<'a>(
    connection: &mut CallConnection<'_>,
    run: &'a [Transition],
) -> Result<HashMap<&'a QueueName, i32>, VerbError> {
    let mut queues = HashMap::new();
    for sent in run {
        if !queues.contains_key(&sent.queue)
            && let Some(number) = connection.find_queue(&sent.queue).await?
        {
            queues.insert(&sent.queue, number);
        }
    }
    Ok(queues)
}

/// Sends the items that have no answer yet, route by route.
async fn write_open(
    connection: &mut CallConnection<'_>,
    run: &[Transition],
    queues: &HashMap<&QueueName, i32>,
    answers: &mut [Option<ItemAnswer>],
) -> Result<(), VerbError> {
    let routes = routes(run, !connection.commits_each_statement());
    for route in Route::ALL {
        let mut open: Vec<usize> =
            (0..run.len()).filter(|at| answers[*at].is_none() && routes[*at] == route).collect();
        if open.is_empty() {
            continue;
        }
        // Rows are locked in the order of seq, as every batch does, so that two batches never wait
        // for each other.
        open.sort_by_key(|at| run[*at].seq);
        let items: Vec<Item<'_>> = open.iter().map(|at| (queues[&run[*at].queue], &run[*at])).collect();
        let by_seq: HashMap<i64, usize> = open.iter().map(|at| (integer(run[*at].seq.get()), *at)).collect();
        write_route(connection, route, &items, run, queues, &by_seq, answers).await?;
    }
    Ok(())
}

/// Sends items of one route in one statement, and answers those that it wrote.
async fn write_route(
    connection: &mut CallConnection<'_>,
    route: Route,
    items: &[Item<'_>],
    run: &[Transition],
    queues: &HashMap<&QueueName, i32>,
    by_seq: &HashMap<i64, usize>,
    answers: &mut [Option<ItemAnswer>],
) -> Result<(), VerbError> {
    let handle = connection.handle;
    let origin = connection.origin();
    let floor = connection.time_floor();
    // Signals of a job come after its followers, if these raise gates.
    let sends = items.iter().any(|(_, sent)| sent.sends() && !touches_gates(sent));
    let statement = match route {
        Route::Complete if sends => &handle.statements.complete_sending,
        Route::Complete => &handle.statements.complete,
        Route::Move if sends => &handle.statements.move_sending,
        Route::Move => &handle.statements.move_jobs,
        Route::Extend => &handle.statements.extend,
        Route::Mark => &handle.statements.mark,
        Route::Amend => &handle.statements.amend,
    };
    let rows = connection
        .write(statement, |query| {
            let query = columns::bind(route, query.bind(floor), items)
                .bind(handle.notify_channel().map(str::to_owned))
                .bind(origin.clone());
            columns::bind_rest(route, query, items)
        })
        .await?;
    let now = connection.note_time(&rows, NOW_AT)?.now;
    for row in &rows {
        let Some(seq) = row.try_get::<Option<i64>, _>(JOB_AT)? else { continue };
        let at = *by_seq.get(&seq).ok_or_else(|| foreign("a job was changed that nobody asked for"))?;
        let job = match route {
            Route::Complete => read_completed(row, &run[at])?,
            _ => read_job(row, JOB_AT, &run[at].queue)?,
        };
        // `extend` returns the job as it is now, the other statements as it was before.
        if route == Route::Extend {
            connection.notices.changed(&job.meta);
            answers[at] = Some(ItemAnswer { answer: Applied::Done(job.meta), is_written: true });
            continue;
        }
        answers[at] = Some(written(connection, queues[&run[at].queue], job, &run[at], now)?);
    }
    Ok(())
}

/// The answer to an item whose guard held, from the job as it was.
fn written(
    connection: &mut CallConnection<'_>,
    queue: i32,
    mut job: TrackedJob,
    sent: &Transition,
    now: Timestamp,
) -> Result<ItemAnswer, VerbError> {
    // Its slot is free, and another job of its partition may wait for it.
    if job.meta.state == State::Processing && job.meta.partition.is_some() {
        connection.notices.wake(&sent.queue);
    }
    match apply(&mut job, sent, now) {
        Verdict::Written { .. } => {
            connection.handle.floors.changed(queue, &job.meta);
            match &sent.patch {
                // The server passes no result on to other handles: any role may listen to it, and
                // send one too.
                Patch::Finish(Finish { result: Some(result), .. }) if job.meta.awaited => {
                    connection.notices.completed(&job.meta, result);
                }
                _ => connection.notices.changed(&job.meta),
            }
        }
        Verdict::Removed => connection.notices.removed(&job.meta),
        _ => {
            let message = "a statement wrote what the lifecycle forbids, which is a bug";
            return Err(Error::new(ErrorKind::Internal, "apply", message).into());
        }
    }
    Ok(ItemAnswer { answer: Applied::Done(job.meta), is_written: true })
}

/// Reads the jobs whose items were not written, and says why not. An item that could be written by
/// now stays open.
async fn judge_open(
    connection: &mut CallConnection<'_>,
    run: &[Transition],
    queues: &HashMap<&QueueName, i32>,
    answers: &mut [Option<ItemAnswer>],
    round: usize,
) -> Result<(), VerbError> {
    let open: Vec<usize> = (0..run.len()).filter(|at| answers[*at].is_none()).collect();
    if open.is_empty() {
        return Ok(());
    }
    let handle = connection.handle;
    let floor = connection.time_floor();
    let items: Vec<Item<'_>> = open.iter().map(|at| (queues[&run[*at].queue], &run[*at])).collect();
    let rows = connection
        .read(&handle.statements.find_lives, |query| {
            query
                .bind(floor)
                .bind(items.iter().map(|(queue, _)| *queue).collect::<Vec<_>>())
                .bind(items.iter().map(|(_, sent)| integer(sent.seq.get())).collect::<Vec<_>>())
                .bind(items.iter().map(|(_, sent)| sent.id.as_str()).collect::<Vec<_>>())
        })
        .await?;
    let now = connection.note_time(&rows, NOW_AT)?.now;
    for row in &rows {
        let position = row.try_get::<i64, _>(0)? - 1;
        let at = usize::try_from(position).ok().and_then(|at| open.get(at));
        let at = *at.ok_or_else(|| foreign("no such position"))?;
        let found = row.try_get::<Option<i64>, _>(JOB_AT)?;
        let job = found.map(|_| read_job(row, JOB_AT, &run[at].queue)).transpose()?;
        // A heartbeat or rescue whose row a transaction holds is answered as stale after a few
        // rounds: the other items must not wait for the end of that transaction (ADR 0018).
        let is_last = round >= ROUNDS_HELD_MAX && passes_over(&run[at]);
        let answer = judge(job, &run[at], now, is_last);
        answers[at] = answer.map(|answer| ItemAnswer { answer, is_written: false });
    }
    Ok(())
}
