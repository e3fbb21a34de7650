use super::{
    Names,
    wire::{Malformed, Reader, Writer},
};
use bytes::Bytes;
use queue_core::{
    Budget, Failure, JobMeta, LeaseInfo, LeaseToken, QueueName, Reason, Retention, RetentionPolicy, Seq,
    Span, State, Timestamp,
    lifecycle::{LastSettle, Settle, TrackedJob},
};
use queue_memory::{Course, StoredJob};

/// Stands for no reason.
const NO_REASON: u8 = u8::MAX;

/// Which optional parts follow, in this order.
mod flag {
    pub(super) const CANCEL_REQUESTED: u16 = 1;
    pub(super) const AWAITED: u16 = 1 << 1;
    pub(super) const LEASE: u16 = 1 << 2;
    pub(super) const TOKEN: u16 = 1 << 3;
    pub(super) const LAST_SETTLE: u16 = 1 << 4;
    pub(super) const PROGRESS: u16 = 1 << 5;
    pub(super) const LAST_ERROR: u16 = 1 << 6;
    pub(super) const FINISHED_AT: u16 = 1 << 7;
    pub(super) const PURGE_AT: u16 = 1 << 8;
    pub(super) const EXPIRY_LIFTED: u16 = 1 << 9;
    pub(super) const ALL: u16 = (1 << 10) - 1;
}

/// Which of the options follow that few jobs have, in this order.
mod option {
    pub(super) const EXPIRES_IN: u8 = 1;
    pub(super) const TIME_LIMIT: u8 = 1 << 1;
    pub(super) const ON_FAILURE: u8 = 1 << 2;
    pub(super) const ALL: u8 = (1 << 3) - 1;
}

/// The parts of a job that its life changes; the others are written once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moving {
    pub(crate) revision: u64,
    pub(crate) state: State,
    reason: Option<Reason>,
    run_at: Timestamp,
    pub(crate) epoch: u64,
    failures: u32,
    stalls: u32,
    cancel_requested: bool,
    awaited: bool,
    expiry_lifted: bool,
    lease: Option<LeaseInfo>,
    token: Option<LeaseToken>,
    last_settle: Option<LastSettle>,
    progress: Option<Bytes>,
    last_error: Option<Failure>,
    finished_at: Option<Timestamp>,
    purge_at: Option<Timestamp>,
}

/// What is written once.
pub(super) fn write_fixed(out: &mut Writer<'_>, job: &StoredJob) {
    let traits = &*job.traits;
    out.name(&job.id);
    out.name(&traits.kind);
    out.i16(job.priority);
    out.i64(job.created_at.as_millis());
    out.u32(traits.max_attempts.as_raw());
    out.u32(traits.max_stalls.as_raw());
    out.i64(traits.retention.completed.as_raw());
    out.i64(traits.retention.failed.as_raw());
}

/// A job with nothing but what is written once; [`Moving::onto`] brings the rest.
pub(super) fn read_fixed(
    from: &mut Reader<'_>,
    queue: QueueName,
    seq: Seq,
    names: &mut Names,
) -> Result<JobMeta, Malformed> {
    Ok(JobMeta {
        queue,
        id: from.name()?,
        seq,
        revision: 0,
        kind: names.kinds.read(from)?,
        priority: from.i16()?,
        created_at: time(from)?,
        run_at: Timestamp::default(),
        state: State::Queued,
        reason: None,
        epoch: 0,
        failures: 0,
        stalls: 0,
        expires_in: None,
        expiry_lifted: false,
        time_limit: None,
        max_attempts: Budget::from_raw(from.u32()?),
        max_stalls: Budget::from_raw(from.u32()?),
        lease: None,
        cancel_requested: false,
        awaited: false,
        progress: None,
        last_error: None,
        on_failure: None,
        retention: RetentionPolicy { completed: retention(from)?, failed: retention(from)? },
        finished_at: None,
        purge_at: None,
    })
}

/// Whether a job has any of what [`write_options`] writes: most have none, and are written without.
pub(super) fn has_options(job: &StoredJob) -> bool {
    let traits = &*job.traits;
    traits.expires_in.is_some() || traits.time_limit.is_some() || traits.on_failure.is_some()
}

/// How long it may wait for its start, how long its handler may run, and the kind of the job that follows its failure.
pub(super) fn write_options(out: &mut Writer<'_>, job: &StoredJob) {
    let traits = &*job.traits;
    out.u8(options(job));
    traits.expires_in.into_iter().chain(traits.time_limit).for_each(|span| out.i64(span.as_millis()));
    if let Some(kind) = &traits.on_failure {
        out.name(kind);
    }
}

/// Reads what [`write_options`] wrote.
pub(super) fn read_options(
    from: &mut Reader<'_>,
    job: &mut JobMeta,
    names: &mut Names,
) -> Result<(), Malformed> {
    let options = from.u8()?;
    if options & !option::ALL != 0 {
        return Err(Malformed("a job has an option that this version does not know"));
    }
    let has = |option| options & option != 0;
    job.expires_in = if has(option::EXPIRES_IN) { Some(span(from)?) } else { None };
    job.time_limit = if has(option::TIME_LIMIT) { Some(span(from)?) } else { None };
    job.on_failure = if has(option::ON_FAILURE) { Some(names.kinds.read(from)?) } else { None };
    Ok(())
}

fn options(job: &StoredJob) -> u8 {
    let traits = &*job.traits;
    u8::from(traits.expires_in.is_some()) * option::EXPIRES_IN
        + u8::from(traits.time_limit.is_some()) * option::TIME_LIMIT
        + u8::from(traits.on_failure.is_some()) * option::ON_FAILURE
}

fn span(from: &mut Reader<'_>) -> Result<Span, Malformed> {
    match from.i64()? {
        millis if (0..=Span::MAX.as_millis()).contains(&millis) => Ok(Span::from_millis(millis)),
        _ => Err(Malformed("a length of time is out of bounds")),
    }
}

/// What a life changes.
pub(super) fn write_moving(out: &mut Writer<'_>, job: &StoredJob) {
    let course = job.course();
    out.u64(job.revision);
    out.u8(job.state.as_code());
    out.u8(job.reason.map_or(NO_REASON, Reason::as_code));
    out.i64(job.run_at.as_millis());
    out.u64(job.epoch);
    out.u32(job.failures);
    out.u32(job.stalls);
    out.u16(flags(job, course));
    if let Some(lease) = &course.lease {
        out.name(&lease.worker);
        out.i64(lease.expires_at.as_millis());
    }
    if let Some(token) = &course.token {
        out.token(token.as_bytes());
    }
    if let Some(last) = &course.last_settle {
        out.token(last.token.as_bytes());
        out.u8(last.settle.as_code());
    }
    if let Some(progress) = &course.progress {
        out.blob(progress);
    }
    if let Some(error) = &course.last_error {
        out.text(error.name());
        out.text(error.message());
    }
    course.finished_at.into_iter().chain(course.purge_at).for_each(|at| out.i64(at.as_millis()));
}

fn flags(job: &StoredJob, course: &Course) -> u16 {
    let facts = [
        (flag::CANCEL_REQUESTED, job.cancel_requested),
        (flag::AWAITED, job.awaited),
        (flag::LEASE, course.lease.is_some()),
        (flag::TOKEN, course.token.is_some()),
        (flag::LAST_SETTLE, course.last_settle.is_some()),
        (flag::PROGRESS, course.progress.is_some()),
        (flag::LAST_ERROR, course.last_error.is_some()),
        (flag::FINISHED_AT, course.finished_at.is_some()),
        (flag::PURGE_AT, course.purge_at.is_some()),
        (flag::EXPIRY_LIFTED, job.expiry_lifted),
    ];
    facts.into_iter().filter(|(_, holds)| *holds).fold(0, |flags, (flag, _)| flags | flag)
}

impl Moving {
    /// Reads what [`write_moving`] wrote.
    pub(super) fn read(from: &mut Reader<'_>, names: &mut Names) -> Result<Self, Malformed> {
        let revision = from.u64()?;
        let state = from.code(State::from_code, "a state has no such number")?;
        let reason = match from.u8()? {
            NO_REASON => None,
            code => Some(Reason::from_code(code).ok_or(Malformed("a reason has no such number"))?),
        };
        let (run_at, epoch) = (time(from)?, from.u64()?);
        let (failures, stalls, flags) = (from.u32()?, from.u32()?, from.u16()?);
        if flags & !flag::ALL != 0 {
            return Err(Malformed("a job has a part that this version does not know"));
        }
        let has = |flag| flags & flag != 0;
        Ok(Self {
            revision,
            state,
            reason,
            run_at,
            epoch,
            failures,
            stalls,
            cancel_requested: has(flag::CANCEL_REQUESTED),
            awaited: has(flag::AWAITED),
            expiry_lifted: has(flag::EXPIRY_LIFTED),
            lease: if has(flag::LEASE) { Some(lease(from, names)?) } else { None },
            token: if has(flag::TOKEN) { Some(token(from)?) } else { None },
            last_settle: if has(flag::LAST_SETTLE) { Some(last_settle(from)?) } else { None },
            progress: if has(flag::PROGRESS) { Some(from.bytes()?) } else { None },
            last_error: if has(flag::LAST_ERROR) { Some(failure(from)?) } else { None },
            finished_at: if has(flag::FINISHED_AT) { Some(time(from)?) } else { None },
            purge_at: if has(flag::PURGE_AT) { Some(time(from)?) } else { None },
        })
    }

    /// Replaces these parts of a job.
    pub(crate) fn onto(self, job: &mut TrackedJob) {
        (job.token, job.last_settle) = (self.token, self.last_settle);
        let meta = &mut job.meta;
        meta.revision = self.revision;
        (meta.state, meta.reason) = (self.state, self.reason);
        (meta.run_at, meta.epoch) = (self.run_at, self.epoch);
        (meta.failures, meta.stalls) = (self.failures, self.stalls);
        (meta.cancel_requested, meta.awaited) = (self.cancel_requested, self.awaited);
        meta.expiry_lifted = self.expiry_lifted;
        (meta.lease, meta.progress, meta.last_error) = (self.lease, self.progress, self.last_error);
        (meta.finished_at, meta.purge_at) = (self.finished_at, self.purge_at);
    }
}

fn lease(from: &mut Reader<'_>, names: &mut Names) -> Result<LeaseInfo, Malformed> {
    Ok(LeaseInfo { worker: names.workers.read(from)?, expires_at: time(from)? })
}

fn token(from: &mut Reader<'_>) -> Result<LeaseToken, Malformed> {
    from.token().map(LeaseToken::from_bytes)
}

fn last_settle(from: &mut Reader<'_>) -> Result<LastSettle, Malformed> {
    let token = token(from)?;
    Ok(LastSettle { token, settle: from.code(Settle::from_code, "a settle has no such number")? })
}

fn failure(from: &mut Reader<'_>) -> Result<Failure, Malformed> {
    let name = from.text()?;
    Ok(Failure::new(name, from.text()?))
}

pub(super) fn time(from: &mut Reader<'_>) -> Result<Timestamp, Malformed> {
    from.i64().map(Timestamp::from_millis)
}

fn retention(from: &mut Reader<'_>) -> Result<Retention, Malformed> {
    Retention::from_raw(from.i64()?).ok_or(Malformed("a retention has no such number"))
}
