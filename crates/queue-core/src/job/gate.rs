//! Gates: what a job waits for, and the signals of ended jobs that it counts.

use crate::{JobId, Seq, Span, State};

/// The most end signals that a job may have.
pub const END_SIGNALS_MAX: usize = 64;

/// The gate of a new job, behind which the job waits. It opens once it is sealed and has counted as
/// many end signals as it needs. It opens early when an [urgent](EndSignal::urgent) signal comes of
/// a job that did not complete, when the job is promoted, and at its time-out.
///
/// The idea is that of a countdown latch whose count may still grow until it is sealed.
///
/// ```
/// use queue_core::{ContentType, EndSignal, JobId, Kind, NewGate, NewJob, Payload};
///
/// let payload = || Payload::new("{}", ContentType::from_static("application/json"));
/// let sum = JobId::new("sum")?;
/// let member = NewJob::new(JobId::new("part-1")?, Kind::from_static("part"), payload())
///     .with_end_signals([EndSignal { raises: true, ..EndSignal::to(sum.clone()) }]);
/// // Members may come until the gate is sealed.
/// let waiting = NewJob::new(sum, Kind::from_static("sum"), payload())
///     .with_gate(NewGate { needs: 0, is_sealed: false, timeout: None });
/// assert!(waiting.gate.is_some() && member.end_signals[0].raises);
/// # Ok::<(), queue_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NewGate {
    /// How many end signals it needs, beside one for each job that [raises](EndSignal::raises) it.
    pub needs: u64,
    /// Whether it opens as soon as it has counted them. One that is not stays closed until it is
    /// sealed, so that more jobs may come.
    pub is_sealed: bool,
    /// How long it may stay closed; the job is then due in any case. `None` is for ever.
    pub timeout: Option<Span>,
}

/// What a job sends to another one of its queue when it ends, by any way: its worker, a lapsed
/// lease, an expiry, a cancel, a delete. It is sent once in a life: a job that ends again after a
/// redrive sends nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EndSignal {
    /// The job that counts it, of the same queue.
    pub to: JobId,
    /// The life of that job. `None` in a new job: the life that has the id when the job is
    /// enqueued.
    pub life: Option<Seq>,
    /// The gate of that job needs one signal more. If it takes none any more, this job is not
    /// enqueued: [`Enqueued::Orphaned`](crate::Enqueued::Orphaned).
    pub raises: bool,
    /// Counts as one of a completed job, however this job ends.
    pub tolerant: bool,
    /// Opens a closed gate at once unless this job completes.
    pub urgent: bool,
}

/// How a job ended, as its end signals tell it. The discriminants are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndOutcome {
    /// The job is Completed.
    Completed = 0,
    /// The job is Failed.
    Failed = 1,
    /// The job is Cancelled, has expired, or was deleted before it ended.
    Cancelled = 2,
}

/// Whether a job has end signals, and whether they are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Signalling {
    /// It was enqueued without any.
    #[default]
    None,
    /// Its end will send this many. It may be zero: no job was there to get them.
    Owed(u8),
    /// It has ended, at least once.
    Sent,
}

/// The gate of a job. An open one still counts: a handler reads there how its members ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gate {
    /// How many signals it needs, with one for each job that raised it.
    pub needs: u64,
    /// How many signals it has counted.
    pub signals: u64,
    /// The same by outcome.
    pub tally: Tally,
    /// Whether the gate opens as soon as it has counted what it needs.
    pub is_sealed: bool,
    /// Whether an urgent signal opens it early.
    pub heeds_urgent: bool,
    /// The epoch at which it was last closed; `None` if it was opened since. It is closed while the
    /// job has this epoch, so that a claim opens it without a write, and a job that is given back
    /// or fails does not wait for signals again.
    pub closed_at: Option<u64>,
}

/// The signals of a gate by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Of completed jobs, and [tolerant](EndSignal::tolerant) ones.
    pub completed: u64,
    /// Of failed jobs.
    pub failed: u64,
    /// Of cancelled, expired and deleted jobs.
    pub cancelled: u64,
}

impl EndSignal {
    /// A signal to the job that has this id when the sender is enqueued. It raises nothing and is
    /// neither tolerant nor urgent.
    pub const fn to(to: JobId) -> Self {
        Self { to, life: None, raises: false, tolerant: false, urgent: false }
    }
}

impl EndOutcome {
    /// All outcomes, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Completed, Self::Failed, Self::Cancelled];

    /// The outcome of a job that ends in this state; `None` if the state is no end.
    pub const fn of(state: State) -> Option<Self> {
        match state {
            State::Completed => Some(Self::Completed),
            State::Failed => Some(Self::Failed),
            State::Cancelled => Some(Self::Cancelled),
            State::Queued | State::Processing | State::Failing => None,
        }
    }

    /// The number of the outcome, in stored records.
    pub const fn as_code(self) -> u8 {
        self as u8
    }

    /// The outcome of this number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

impl Signalling {
    /// That of a job with this many end signals.
    pub fn owing(signals: usize) -> Self {
        Self::Owed(u8::try_from(signals).unwrap_or(u8::MAX))
    }

    /// The number that stands for it in stores: 0 for none, 1 for sent, and else two more than are
    /// owed.
    pub const fn as_code(self) -> u16 {
        match self {
            Self::None => 0,
            Self::Sent => 1,
            Self::Owed(count) => 2 + count as u16,
        }
    }

    /// What a number stands for, if it is that of any.
    pub fn from_code(code: u16) -> Option<Self> {
        match code {
            0 => Some(Self::None),
            1 => Some(Self::Sent),
            owed => u8::try_from(owed - 2).ok().map(Self::Owed),
        }
    }

    /// Whether a job in this state may have as many end signals: one that has ended owes none.
    pub fn is_sound(self, signals: usize, state: State) -> bool {
        match self {
            Self::None => signals == 0,
            Self::Owed(_) => self == Self::owing(signals) && !state.is_terminal(),
            Self::Sent => true,
        }
    }
}

impl Gate {
    /// The gate at the beginning of a life, which heeds urgent signals.
    pub fn begin(new: NewGate) -> Self {
        let NewGate { needs, is_sealed, .. } = new;
        let gate = Self { needs, is_sealed, heeds_urgent: true, ..Self::default() };
        Self { closed_at: (!gate.is_complete()).then_some(0), ..gate }
    }

    /// Whether a job with this epoch waits behind it.
    pub fn is_closed(&self, epoch: u64) -> bool {
        self.closed_at == Some(epoch)
    }

    /// Whether all has come that the gate needs, and no more is to come. By counts alone: a gate
    /// that an urgent signal or its time-out opened is not complete, so members may still join.
    pub const fn is_complete(&self) -> bool {
        self.is_sealed && self.signals >= self.needs
    }

    /// Whether its counts agree, and it was closed by no later claim than the job's last one.
    pub fn is_sound(&self, epoch: u64) -> bool {
        let Tally { completed, failed, cancelled } = self.tally;
        let counted = completed.checked_add(failed).and_then(|sum| sum.checked_add(cancelled));
        counted == Some(self.signals) && self.closed_at.is_none_or(|at| at <= epoch)
    }

    /// Counts one more signal that it needs.
    pub fn raise(&mut self) {
        self.needs = self.needs.saturating_add(1);
    }

    /// Counts raises and signals that were noted beside the gate.
    pub fn add(&mut self, raises: u64, tally: Tally) {
        let Tally { completed, failed, cancelled } = tally;
        self.needs = self.needs.saturating_add(raises);
        self.signals = [completed, failed, cancelled].into_iter().fold(self.signals, u64::saturating_add);
        self.tally.completed = self.tally.completed.saturating_add(completed);
        self.tally.failed = self.tally.failed.saturating_add(failed);
        self.tally.cancelled = self.tally.cancelled.saturating_add(cancelled);
    }

    /// Counts a signal. True if it is an urgent one of a job that did not complete, and the gate
    /// heeds it.
    pub fn receive(&mut self, outcome: EndOutcome, tolerant: bool, urgent: bool) -> bool {
        let counted = if tolerant { EndOutcome::Completed } else { outcome };
        self.signals = self.signals.saturating_add(1);
        let tally = match counted {
            EndOutcome::Completed => &mut self.tally.completed,
            EndOutcome::Failed => &mut self.tally.failed,
            EndOutcome::Cancelled => &mut self.tally.cancelled,
        };
        *tally = tally.saturating_add(1);
        self.heeds_urgent && urgent && counted != EndOutcome::Completed
    }
}

impl Tally {
    /// How many did not complete.
    pub const fn not_completed(&self) -> u64 {
        self.failed.saturating_add(self.cancelled)
    }
}
