//! Schedules: jobs that are enqueued at times of a calendar. A schedule is itself a job, and every
//! worker and consumer has the handler of its kind, so there is no leader, no table and no extra
//! process.

mod declared;
mod edit;
mod page;
mod schedule;
mod status;
mod view;

pub use declared::{Declared, Put};
pub use page::SchedulesPage;
#[cfg(feature = "worker")]
pub(crate) use page::sorted;
pub use queue_schedule::{
    Ahead, CronPattern, Missed, Moments, Overlap, ScheduleError, ScheduleSpec, Template, Tick, Timing, Zone,
};
pub use schedule::Schedule;
pub use status::ScheduleStatus;

#[cfg(feature = "opentelemetry")]
use crate::client::carry_trace;
use crate::{Change, Queue, client::SendSpan};
use queue_core::{
    JobId, JobRecord, Kind, NewJob, Result, Span, Stamped, State, StorageExt,
    lifecycle::{Event, OnProcessing},
};
use queue_schedule::{SCHEDULE_KIND, schedule_tags};

/// The schedules of a queue; see [`Queue::schedules`].
#[derive(Clone, Debug)]
pub struct Schedules<P, R = ()> {
    queue: Queue<P, R>,
}

impl<P, R> Queue<P, R> {
    /// The schedules of this queue. The returned value can make schedules for jobs of this handle's
    /// kind, and can read and change all schedules of the queue.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json", feature = "worker"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json", feature = "worker")), doc = "```ignore")]
    /// use queue::{prelude::*, schedules::*};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Report {
    ///     day: Tick,
    /// }
    /// const REPORT: JobKind<Report> = JobKind::new("report");
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tasks: Queue<()> = Queue::new(open("memory:").await?, "tasks")?;
    /// let reports = tasks.of(REPORT);
    /// let nightly = Schedule::new("nightly", Timing::cron("0 2 * * *", "Europe/Berlin")?, Report { day: Tick::HERE })
    ///     .missed(Missed::Latest)
    ///     .overlap(Overlap::Skip);
    /// reports.schedules().declare([nightly]).await?;
    ///
    /// let nightly = reports.schedules().get("nightly").await?.expect("declared");
    /// println!("next: {:?}", nightly.next(3));
    /// # Ok(()) }
    /// ```
    pub fn schedules(&self) -> Schedules<P, R> {
        Schedules { queue: self.clone() }
    }
}

impl<P, R> Schedules<P, R> {
    /// One schedule; `None` if there is none of this name.
    ///
    /// # Errors
    /// `Invalid` for an invalid name; `Unsupported` if another program may read the stored schedule
    /// and this one cannot, `Corrupt` if no version can, with the [`ScheduleError`] as its source;
    /// and the errors of the store.
    pub async fn get(&self, name: &str) -> Result<Option<ScheduleStatus>> {
        let Stamped { now, clock, value } = self.read(&[ScheduleSpec::id_of(name)?]).await?;
        let record = value.into_iter().flatten().find(is_schedule);
        record.map(|record| ScheduleStatus::of(record, now, clock)).transpose()
    }

    /// Stops a schedule until it is [resumed](Self::resume): no tick is enqueued, except one that a
    /// worker is enqueueing at this moment.
    ///
    /// # Errors
    /// `Invalid` for an invalid name, `Conflict` if a worker holds the schedule for a minute and a
    /// half, and the errors of the store. A schedule need not be readable for it. A dropped future
    /// leaves the schedule paused or not.
    pub async fn pause(&self, name: &str) -> Result<Change> {
        self.change(name, || Event::Reschedule { delay: Span::MAX }).await
    }

    /// Resumes a paused schedule. Its policy for [missed](Schedule::missed) ticks decides about the
    /// ticks during the pause.
    ///
    /// # Errors
    /// The errors of [`pause`](Self::pause).
    pub async fn resume(&self, name: &str) -> Result<Change> {
        self.change(name, || Event::Promote).await
    }

    /// Removes a schedule. Jobs that it enqueued stay. If a worker handles the schedule at this
    /// moment, its ticks up to now are still enqueued, and it is removed then: the answer is
    /// [`Change::Requested`].
    ///
    /// # Errors
    /// `Invalid` for an invalid name, and the errors of the store. A schedule need not be readable
    /// for it. A dropped future leaves the schedule removed or not.
    pub async fn remove(&self, name: &str) -> Result<Change> {
        let storage = self.queue.storage();
        let shared = &self.queue.shared;
        let id = ScheduleSpec::id_of(name)?;
        let cancel = Event::Cancel { processing: OnProcessing::Request };
        let changed = storage.change(&shared.name, &id, cancel, &shared.policy).await?;
        // A finished job keeps its record for a while, which is of no use for a schedule.
        let deleted = storage.change(&shared.name, &id, Event::Delete, &shared.policy).await?;
        match Change::of_cancel(&changed)? {
            Change::NotAllowed(State::Failed) => Change::of(&deleted),
            change => Ok(change),
        }
    }

    /// Enqueues the job of a schedule now, in addition to its ticks, even if it is paused, and
    /// under all policies. The answer is the job's id, which is the name and the present moment;
    /// `None` if there is no such schedule.
    ///
    /// # Errors
    /// The errors of [`get`](Self::get). A dropped future leaves the job enqueued or not.
    pub async fn run_now(&self, name: &str) -> Result<Option<JobId>> {
        let Some(status) = self.get(name).await? else { return Ok(None) };
        #[cfg_attr(not(feature = "opentelemetry"), expect(unused_mut, reason = "nothing is added to it"))]
        let mut job = status.spec().job_now(status.clock())?;
        let id = job.id.clone();
        let span = SendSpan::begin(self.queue.name());
        #[cfg(feature = "opentelemetry")]
        span.make(|| carry_trace(&mut job));
        let call = self.queue.storage().enqueue(self.queue.name(), vec![vec![job]]);
        span.around(call, |span, _stored| span.job(&id)).await?;
        Ok(Some(id))
    }

    async fn read(&self, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        self.queue.storage().get_whole(self.queue.name(), ids).await
    }

    /// Changes a schedule that waits, as schedules do nearly always.
    async fn change(&self, name: &str, event: impl Fn() -> Event) -> Result<Change> {
        let id = ScheduleSpec::id_of(name)?;
        let storage = self.queue.storage();
        let shared = &self.queue.shared;
        let mut patience = edit::Patience::new();
        loop {
            let changed = storage.change(&shared.name, &id, event(), &shared.policy).await?;
            match Change::of(&changed)? {
                Change::NotAllowed(State::Processing) => patience.wait(name).await?,
                change => return Ok(change),
            }
        }
    }
}

fn is_schedule(record: &JobRecord) -> bool {
    record.meta.kind.as_str() == SCHEDULE_KIND
}

/// The job that a schedule is. It ends only after its last tick, and has the highest priority,
/// since it is short and its ticks must not be late.
fn job_of(spec: &ScheduleSpec, delay: Span) -> Result<NewJob> {
    use queue_core::{Budget, ContentType, OnFailed, Payload, Retention, RetentionPolicy};
    let payload = Payload::new(spec.to_bytes(), ContentType::from_static("application/json"));
    let mut job = NewJob::new(ScheduleSpec::id_of(&spec.name)?, Kind::from_static(SCHEDULE_KIND), payload);
    (job.terms.max_attempts, job.terms.max_stalls) = (Budget::Unlimited, Budget::Unlimited);
    job.priority = i16::MIN;
    job.tags = schedule_tags();
    job.delay = delay;
    job.on_failed = OnFailed::Replace;
    job.terms.retention =
        RetentionPolicy { completed: Retention::Remove, failed: RetentionPolicy::default().failed };
    Ok(job)
}
