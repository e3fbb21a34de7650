//! A schedule as a store keeps it: its timing, its policies, and the ids and jobs of its ticks.

use crate::{Progress, ScheduleError, Template, Tick, Timing, shift, wire};
use queue_core::{JobId, LibraryJob, NewJob, Span, Timestamp};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The layout that this library writes, and the only one that it reads.
pub const SPEC_VERSION: u32 = 3;
/// The default grace of frequent ticks is at least this long, so that a late settle loses none.
pub const GRACE_MIN: Span = Span::from_secs(10);
/// The default grace of rare ticks is at most this long.
pub const GRACE_MAX: Span = Span::from_secs(3600);
/// The number of coming ticks that a jitter or a spread is compared with.
pub(crate) const GAPS_SEEN: usize = 100;
/// Leaves room in an id for `@` and a moment.
const NAME_BYTES_MAX: usize = 200;

/// A whole schedule, as the payload of its job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScheduleSpec {
    /// The version of the layout.
    pub version: u32,
    /// The name.
    pub name: String,
    /// The times at which it fires.
    #[serde(flatten)]
    pub timing: Timing,
    /// The job that it enqueues.
    pub job: Template,
    /// The policy for ticks that passed while no worker could run them.
    pub missed: Missed,
    /// The policy for a tick whose predecessor has not ended.
    pub overlap: Overlap,
    /// Each job is due a while after its tick: from zero to just below this. The delay is the same
    /// whichever process computes it.
    #[serde(rename = "jitter_ms", with = "wire::span")]
    pub jitter: Span,
    /// The whole schedule is handled a while after its ticks: from zero to just below this. The
    /// delay follows from the name, so that not all schedules of midnight fall on one moment. Ids
    /// keep the tick.
    #[serde(rename = "spread_ms", with = "wire::span")]
    pub spread: Span,
    /// Ticks up to this moment do not belong to the schedule: it is the time at which the schedule
    /// was made, or the progress at which it was edited.
    #[serde(rename = "since_ms", with = "wire::moment")]
    pub since: Timestamp,
    /// The last tick that was enqueued before it was edited.
    #[serde(
        rename = "ran_ms",
        default,
        with = "wire::moment_if_any",
        skip_serializing_if = "Option::is_none"
    )]
    pub ran: Option<Timestamp>,
    /// Whether a program declares it at each start; one that no program declares any more is
    /// reported.
    pub declared: bool,
}

/// The policy for ticks that no worker was there to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Missed {
    /// They are skipped, except those that are late by at most the grace. The default grace is half
    /// the time to the next tick, at least [`GRACE_MIN`] and at most [`GRACE_MAX`].
    Skip {
        /// How late a tick may be and still run.
        #[serde(rename = "grace_ms", with = "wire::span_if_any")]
        grace: Option<Span>,
    },
    /// The newest of them runs, once.
    Latest,
    /// All of them run, oldest first; if there are more than `max`, the newest `max`.
    All {
        /// At least one; values above [`CATCH_UP_MAX`](crate::CATCH_UP_MAX) count as that.
        max: usize,
    },
}

impl Default for Missed {
    fn default() -> Self {
        Self::Skip { grace: None }
    }
}

/// The policy for a tick while the job of the previous tick has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Overlap {
    /// Both run.
    #[default]
    Allow,
    /// The tick is skipped. The check is made when the tick is due, so a job that ends just then
    /// may cost one tick.
    Skip,
    /// The earlier job is cancelled: at once if it waits; if it runs, its handler is asked to stop.
    CancelPrevious,
}

impl ScheduleSpec {
    /// A schedule of default policies whose ticks come after `since`.
    pub fn new(name: impl Into<String>, timing: Timing, job: Template, since: Timestamp) -> Self {
        Self {
            version: SPEC_VERSION,
            name: name.into(),
            timing,
            job,
            missed: Missed::default(),
            overlap: Overlap::default(),
            jitter: Span::ZERO,
            spread: Span::ZERO,
            since,
            ran: None,
            declared: false,
        }
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// [`ScheduleError::Newer`] for a layout that is newer than this library,
    /// [`ScheduleError::UnreadableHere`] for one whose parts mean nothing to this build or this
    /// machine, such as its zone, and [`ScheduleError::Unreadable`] for bytes of no version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ScheduleError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let unreadable = |error: serde_json::Error| ScheduleError::Unreadable { reason: error.to_string() };
        let Version { version } = serde_json::from_slice(bytes).map_err(unreadable)?;
        match version {
            SPEC_VERSION => {}
            newer @ SPEC_VERSION.. => return Err(ScheduleError::Newer { version: newer }),
            older => {
                let reason = format!("it is of version {older}, of before the first release; put it again");
                return Err(ScheduleError::Unreadable { reason });
            }
        }
        serde_json::from_slice(bytes)
            .map_err(|error| ScheduleError::UnreadableHere { reason: reason(&error) })
    }

    /// The stored form.
    ///
    /// # Panics
    /// Never: text and numbers always serialize.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("text and numbers are JSON")
    }

    /// The id of the job that is the schedule of this name.
    ///
    /// # Errors
    /// [`ScheduleError::Name`].
    pub fn id_of(name: &str) -> Result<JobId, ScheduleError> {
        let refused = || ScheduleError::Name { name: name.to_owned() };
        if name.is_empty() || name.len() > NAME_BYTES_MAX || name.contains('@') {
            return Err(refused());
        }
        JobId::new(format!("{}:{name}", crate::SCHEDULE_KIND)).map_err(|_| refused())
    }

    /// The name of the schedule whose job has this id; `None` if it is the id of no schedule.
    pub fn name_in(id: &JobId) -> Option<&str> {
        LibraryJob::schedule_in(id)
    }

    /// The id of the job of one tick: the name, `@`, and the moment in UTC. So no change of a
    /// zone's rules gives a tick the id of another.
    ///
    /// # Errors
    /// [`ScheduleError::Name`].
    pub fn tick_id(&self, tick: Timestamp) -> Result<JobId, ScheduleError> {
        JobId::new(format!("{}@{}", self.name, Tick::from(tick)))
            .map_err(|_| ScheduleError::Name { name: self.name.clone() })
    }

    /// The job of one tick.
    ///
    /// # Errors
    /// [`ScheduleError::Name`].
    pub fn tick_job(&self, tick: Timestamp) -> Result<NewJob, ScheduleError> {
        let delay = shift::jitter(&self.name, tick, self.jitter);
        Ok(self.job.job(self.tick_id(tick)?, tick, delay))
    }

    /// A job of a tick that is as large as any, for the limits of a store.
    ///
    /// # Errors
    /// The errors of [`tick_job`](Self::tick_job).
    pub fn largest_job(&self) -> Result<NewJob, ScheduleError> {
        self.tick_job(Tick::longest())
    }

    /// How long after its ticks this schedule is handled.
    pub fn shift(&self) -> Span {
        shift::spread(&self.name, self.spread)
    }

    /// Whether another schedule is the same, regardless of the progress of either.
    pub fn says_the_same(&self, other: &Self) -> bool {
        *self == Self { since: self.since, ran: self.ran, ..other.clone() }
    }

    /// The progress: what a worker stored, or where the schedule began.
    pub fn standing(&self, stored: Option<Progress>) -> Progress {
        stored.unwrap_or(Progress::new(self.since, self.ran))
    }

    /// The same schedule from there on, with no stored progress yet.
    #[must_use]
    pub fn beginning_at(self, at: Progress) -> Self {
        Self { since: at.dealt, ran: at.ran, ..self }
    }

    /// Checks, before anything is written, that the schedule can work.
    ///
    /// # Errors
    /// [`ScheduleError::Name`]; [`ScheduleError::NeverFires`] if no tick is in the future;
    /// [`ScheduleError::Shift`] for a jitter or a spread longer than the time between two of the
    /// next ticks; [`ScheduleError::CatchUp`]; and [`ScheduleError::Tick`].
    pub fn check(&self) -> Result<(), ScheduleError> {
        Self::id_of(&self.name)?;
        let Some(first) = self.timing.next(self.since) else {
            return Err(ScheduleError::NeverFires { timing: self.timing.to_string() });
        };
        self.tick_job(first)?;
        if self.missed == (Missed::All { max: 0 }) {
            return Err(ScheduleError::CatchUp);
        }
        if self.job.misplaces_tick() {
            return Err(ScheduleError::Tick);
        }
        let Some(gap) = self.shortest_gap() else { return Ok(()) };
        for (what, shift) in [("jitter", self.jitter), ("spread", self.spread)] {
            let shift = shift.as_duration();
            if shift > gap {
                return Err(ScheduleError::Shift { what, shift, gap, timing: self.timing.to_string() });
            }
        }
        Ok(())
    }

    /// Checks that a store takes the schedule, whose payloads have at most so many bytes.
    ///
    /// # Errors
    /// [`ScheduleError::TooLarge`].
    pub fn check_size(&self, bytes_max: usize) -> Result<(), ScheduleError> {
        let bytes = self.to_bytes().len();
        if bytes <= bytes_max {
            return Ok(());
        }
        Err(ScheduleError::TooLarge { bytes, payload_bytes: self.job.payload_stored_bytes(), bytes_max })
    }

    /// The shortest time between two of the next ticks.
    fn shortest_gap(&self) -> Option<Duration> {
        let ticks: Vec<Timestamp> = self.timing.after(self.since).take(GAPS_SEEN).collect();
        ticks.windows(2).map(|pair| pair[1].since(pair[0])).min()
    }
}

/// What is wrong, without the place in the stored text, which is of no use in a listing of
/// schedules.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}
