use super::{
    columns::{self, Item},
    plan::{Completion, Route, is_independent, routes, runs},
};
use crate::{
    fault::Fault,
    pools::Lane,
    row::{foreign, integer, read_held, read_job},
    session::{Scope, Session},
    verb::Verb,
};
use queue_core::{
    Applied, Error, ErrorKind, JobMeta, NewJob, QueueName, Stamped, Timestamp,
    lifecycle::{Flags, Lapse, Patch, TrackedJob, Transition, Verdict, apply},
};
use sqlx::{Row, postgres::PgRow};
use std::collections::{BTreeMap, HashMap};

/// Where the columns of a job begin in every answer; before it stands the time.
const JOB_AT: usize = 2;
const NOW_AT: usize = 1;
/// How often items are sent whose guard did not hold when they were written and did when they were read.
const ROUNDS_MAX: usize = 16;
/// The same of what passes over rows that somebody holds; then it was too busy for now.
const ROUNDS_HELD_MAX: usize = 4;

/// Applies transitions, each atomic by itself, in order.
#[derive(Debug)]
pub(crate) struct Apply<'a>(pub(crate) &'a [Transition]);

/// What became of an item.
#[derive(Clone, Debug)]
struct Outcome {
    answer: Applied,
    /// It was written now, so that what follows it is due.
    is_written: bool,
}

impl Verb for Apply<'_> {
    type Answer = Stamped<Vec<Applied>>;

    const NAME: &'static str = "apply";

    fn lane(&self) -> Lane {
        let is_heartbeat = self.0.iter().all(|sent| matches!(sent.patch, Patch::Extend { .. }));
        if is_heartbeat { Lane::Heartbeats } else { Lane::Calls }
    }

    fn scope(&self) -> Scope {
        if is_independent(self.0) { Scope::Alone } else { Scope::Together }
    }

    async fn prepare(&self, session: &mut Session<'_>) -> Result<(), Fault> {
        for (queue, jobs) in followers(self.0.iter()) {
            session.intern_for(queue, jobs.into_iter()).await?;
        }
        Ok(())
    }

    async fn run(&self, session: &mut Session<'_>) -> Result<Self::Answer, Fault> {
        for (name, jobs) in followers(self.0.iter()) {
            let queue = session.intern_queue(name).await?;
            let own = self.0.iter().filter(|sent| sent.queue == *name).map(|sent| &sent.id);
            session.take_turns(queue, &jobs, own).await?;
        }
        session.apply_all(self.0).await
    }
}

impl Session<'_> {
    pub(crate) async fn apply_all(&mut self, batch: &[Transition]) -> Result<Stamped<Vec<Applied>>, Fault> {
        if batch.is_empty() {
            return Ok(Stamped::at(self.now().await?, Vec::new()));
        }
        let mut value = Vec::with_capacity(batch.len());
        for run in runs(batch) {
            value.extend(self.apply_run(&batch[run]).await?);
        }
        if !self.was_told() {
            self.now().await?;
        }
        Ok(Stamped::at(self.last_told(), value))
    }

    /// Items that do not depend on each other, and then what follows them.
    async fn apply_run(&mut self, run: &[Transition]) -> Result<Vec<Applied>, Fault> {
        let queues = self.numbers(run).await?;
        let mut outcomes: Vec<Option<Outcome>> = run
            .iter()
            .map(|sent| {
                let is_known = queues.contains_key(&sent.queue);
                (!is_known).then_some(Outcome { answer: Applied::Missing, is_written: false })
            })
            .collect();
        for round in 1..=ROUNDS_MAX {
            self.write_open(run, &queues, &mut outcomes).await?;
            self.judge_open(run, &queues, &mut outcomes, round).await?;
            if outcomes.iter().all(Option::is_some) {
                return self.enqueue_followers(run, outcomes.into_iter().flatten().collect()).await;
            }
        }
        let message = "the jobs kept moving; read them and decide afresh";
        Err(Error::new(ErrorKind::Conflict, "apply", message).into())
    }

    async fn numbers<'a>(&mut self, run: &'a [Transition]) -> Result<HashMap<&'a QueueName, i32>, Fault> {
        let mut queues = HashMap::new();
        for sent in run {
            if !queues.contains_key(&sent.queue)
                && let Some(number) = self.find_queue(&sent.queue).await?
            {
                queues.insert(&sent.queue, number);
            }
        }
        Ok(queues)
    }

    /// Sends what has no outcome yet, route by route.
    async fn write_open(
        &mut self,
        run: &[Transition],
        queues: &HashMap<&QueueName, i32>,
        outcomes: &mut [Option<Outcome>],
    ) -> Result<(), Fault> {
        let routes = routes(run, !self.commits_each());
        for route in Route::ALL {
            let mut open: Vec<usize> =
                (0..run.len()).filter(|at| outcomes[*at].is_none() && routes[*at] == route).collect();
            if open.is_empty() {
                continue;
            }
            open.sort_by_key(|at| run[*at].seq);
            let items: Vec<Item<'_>> = open.iter().map(|at| (queues[&run[*at].queue], &run[*at])).collect();
            let by_seq: HashMap<i64, usize> =
                open.iter().map(|at| (integer(run[*at].seq.get()), *at)).collect();
            self.write_route(route, &items, run, queues, &by_seq, outcomes).await?;
        }
        Ok(())
    }

    async fn write_route(
        &mut self,
        route: Route,
        items: &[Item<'_>],
        run: &[Transition],
        queues: &HashMap<&QueueName, i32>,
        by_seq: &HashMap<i64, usize>,
        outcomes: &mut [Option<Outcome>],
    ) -> Result<(), Fault> {
        let (shared, origin, reading) = (self.shared, self.origin(), self.reading());
        let statement = match route {
            Route::Complete => &shared.statements.complete,
            Route::Move => &shared.statements.move_jobs,
            Route::Extend => &shared.statements.extend,
            Route::Mark => &shared.statements.mark,
        };
        let rows = self
            .write(statement, |query| {
                let query = columns::bind(route, query.bind(reading), items)
                    .bind(shared.channel().map(str::to_owned))
                    .bind(origin.clone());
                columns::bind_rest(route, query, items)
            })
            .await?;
        let now = self.told(&rows, NOW_AT)?.now;
        for row in &rows {
            let Some(seq) = row.try_get::<Option<i64>, _>(JOB_AT)? else { continue };
            let at = *by_seq.get(&seq).ok_or_else(|| foreign("a job was changed that nobody asked for"))?;
            let job = match route {
                Route::Complete => read_completed(row, &run[at])?,
                _ => read_job(row, JOB_AT, &run[at].queue)?,
            };
            if route == Route::Extend {
                self.notices.changed(&job.meta);
                outcomes[at] = Some(Outcome { answer: Applied::Done(job.meta), is_written: true });
                continue;
            }
            outcomes[at] = Some(self.written(queues[&run[at].queue], job, &run[at], now)?);
        }
        Ok(())
    }

    /// The answer to an item whose guard held, from the job as it was.
    fn written(
        &mut self,
        queue: i32,
        mut job: TrackedJob,
        sent: &Transition,
        now: Timestamp,
    ) -> Result<Outcome, Fault> {
        match apply(&mut job, sent, now) {
            Verdict::Written { .. } => {
                self.shared.fronts.returned(queue, &job.meta);
                self.notices.changed(&job.meta);
            }
            Verdict::Removed => self.notices.removed(&job.meta),
            _ => {
                let message = "a statement wrote what the lifecycle forbids, which is a bug";
                return Err(Error::new(ErrorKind::Internal, "apply", message).into());
            }
        }
        Ok(Outcome { answer: Applied::Done(job.meta), is_written: true })
    }

    /// Reads what was not written, and says why not. What could be written by now stays open.
    async fn judge_open(
        &mut self,
        run: &[Transition],
        queues: &HashMap<&QueueName, i32>,
        outcomes: &mut [Option<Outcome>],
        round: usize,
    ) -> Result<(), Fault> {
        let open: Vec<usize> = (0..run.len()).filter(|at| outcomes[*at].is_none()).collect();
        if open.is_empty() {
            return Ok(());
        }
        let (shared, reading) = (self.shared, self.reading());
        let items: Vec<Item<'_>> = open.iter().map(|at| (queues[&run[*at].queue], &run[*at])).collect();
        let rows = self
            .read(&shared.statements.find_lives, |query| {
                query
                    .bind(reading)
                    .bind(items.iter().map(|(queue, _)| *queue).collect::<Vec<_>>())
                    .bind(items.iter().map(|(_, sent)| integer(sent.seq.get())).collect::<Vec<_>>())
                    .bind(items.iter().map(|(_, sent)| sent.id.as_str()).collect::<Vec<_>>())
            })
            .await?;
        let now = self.told(&rows, NOW_AT)?.now;
        for row in &rows {
            let position = row.try_get::<i64, _>(0)? - 1;
            let at = usize::try_from(position).ok().and_then(|at| open.get(at));
            let at = *at.ok_or_else(|| foreign("no such position"))?;
            let found = row.try_get::<Option<i64>, _>(JOB_AT)?;
            let job = found.map(|_| read_job(row, JOB_AT, &run[at].queue)).transpose()?;
            let is_last = round >= ROUNDS_HELD_MAX && passes_over(&run[at]);
            let answer = judge(job, &run[at], now, is_last);
            outcomes[at] = answer.map(|answer| Outcome { answer, is_written: false });
        }
        Ok(())
    }

    async fn enqueue_followers(
        &mut self,
        run: &[Transition],
        outcomes: Vec<Outcome>,
    ) -> Result<Vec<Applied>, Fault> {
        let written = run.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_written);
        for (name, jobs) in followers(written.map(|(sent, _)| sent)) {
            let queue = self.intern_for(name, jobs.iter().copied()).await?;
            self.enqueue_jobs(queue, name, &jobs).await?;
        }
        Ok(outcomes.into_iter().map(|outcome| outcome.answer).collect())
    }
}

/// A job that its holder completed, as it was before; its guard says the rest.
fn read_completed(row: &PgRow, sent: &Transition) -> sqlx::Result<TrackedJob> {
    let to = Completion::of(sent).ok_or_else(|| foreign("a job was completed that nobody asked for"))?;
    let meta = read_held(row, JOB_AT, &sent.queue)?;
    let Flags { cancel_requested, awaited } = to.flags;
    let (failures, stalls) = (to.finish.failures, to.finish.stalls);
    let meta = JobMeta { cancel_requested, awaited, failures, stalls, ..meta };
    Ok(TrackedJob { token: Some(to.token), ..TrackedJob::new(meta) })
}

/// Whether it is for later if somebody holds the row: `extend.sql` and `move.sql` wait for nobody with these.
fn passes_over(sent: &Transition) -> bool {
    matches!(sent.patch, Patch::Extend { .. }) || sent.guard.lapse == Lapse::Lapsed
}

/// Why an item was not written; `None` if it could be now, unless this was its last round.
fn judge(job: Option<TrackedJob>, sent: &Transition, now: Timestamp, is_last: bool) -> Option<Applied> {
    let Some(mut job) = job else { return Some(Applied::Missing) };
    let seen = is_last.then(|| job.meta.clone());
    match apply(&mut job, sent, now) {
        Verdict::Written { .. } | Verdict::Removed => seen.map(Applied::Stale),
        Verdict::Replayed => Some(Applied::Done(job.meta)),
        Verdict::LeaseLost => Some(Applied::LeaseLost(job.meta)),
        Verdict::Stale => Some(Applied::Stale(job.meta)),
        Verdict::Missing => Some(Applied::Missing),
    }
}

/// What follows, in the order of the items, by queue.
fn followers<'a>(items: impl Iterator<Item = &'a Transition>) -> BTreeMap<&'a QueueName, Vec<&'a NewJob>> {
    let mut followers: BTreeMap<&QueueName, Vec<&NewJob>> = BTreeMap::new();
    for sent in items.filter(|sent| !sent.then.is_empty()) {
        followers.entry(&sent.queue).or_default().extend(&sent.then);
    }
    followers
}
