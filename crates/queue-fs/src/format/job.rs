//! The fields of a job in their stored form.

use super::{
    InternedNames,
    attempt::{read_attempts, write_attempts},
    gate::{read_gate, write_gate},
    wire::{FieldReader, FieldWriter, Malformed, Numbers},
};
use bytes::Bytes;
use queue_core::{
    Attempt, Failure, Gate, JobMeta, LeaseInfo, LeaseToken, QueueName, Reason, Seq, SharedTerms, Signalling,
    State, Tags, Timestamp,
    lifecycle::{LastSettle, Settle, TrackedJob},
};
use queue_memory::{Course, PackedJob};

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
    pub(super) const ATTEMPTS: u16 = 1 << 10;
    pub(super) const GATE: u16 = 1 << 11;
    pub(super) const SIGNALS_SENT: u16 = 1 << 12;
    pub(super) const ALL: u16 = (1 << 13) - 1;
}

/// The fields of a job that transitions change; the others are written once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the stored form")]
pub(crate) struct LifecycleFields {
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
    claimed_at: Option<Timestamp>,
    lease: Option<LeaseInfo>,
    token: Option<LeaseToken>,
    last_settle: Option<LastSettle>,
    progress: Option<Box<Bytes>>,
    last_error: Option<Failure>,
    failed_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    purge_at: Option<Timestamp>,
    gate: Option<Box<Gate>>,
    are_signals_sent: bool,
    /// Those that were charged since the job was last written.
    pub(crate) attempts: Vec<Attempt>,
}

/// What is written once.
pub(super) fn write_fixed(out: &mut FieldWriter<'_>, job: &PackedJob) {
    let traits = &*job.traits;
    out.name(&job.id);
    out.name(&traits.kind);
    let mut numbers = Numbers::<10>::new();
    numbers.i16(job.priority);
    numbers.i64(job.created_at.as_millis());
    out.numbers(&numbers);
}

/// A job with nothing but what is written once; [`LifecycleFields::onto`] brings the rest.
pub(super) fn read_fixed(
    from: &mut FieldReader<'_>,
    queue: QueueName,
    seq: Seq,
    names: &mut InternedNames,
) -> Result<JobMeta, Malformed> {
    Ok(JobMeta {
        queue,
        id: from.name()?,
        seq,
        revision: 0,
        kind: names.kinds.read(from)?,
        tags: Tags::NONE,
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
        terms: SharedTerms::PLAIN,
        lease: None,
        claimed_at: None,
        cancel_requested: false,
        awaited: false,
        progress: None,
        last_error: None,
        failed_at: None,
        finished_at: None,
        purge_at: None,
        gate: None,
        signalling: Signalling::None,
        partition: None,
    })
}

/// Writes the fields that transitions change, and these attempts.
pub(super) fn write_lifecycle(out: &mut FieldWriter<'_>, job: &PackedJob, attempts: &[Attempt]) {
    let course = job.course();
    let mut numbers = Numbers::<36>::new();
    numbers.u64(job.revision);
    numbers.u8(job.state.as_code());
    numbers.u8(job.reason.map_or(NO_REASON, Reason::as_code));
    numbers.i64(job.run_at.as_millis());
    numbers.u64(job.epoch);
    numbers.u32(job.failures);
    numbers.u32(job.stalls);
    numbers.u16(flags(job, course, attempts));
    out.numbers(&numbers);
    if job.epoch > 0 {
        out.i64(course.claimed_at.unwrap_or_default().as_millis());
    }
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
        out.i64(course.failed_at.unwrap_or_default().as_millis());
    }
    course.finished_at.into_iter().chain(course.purge_at).for_each(|at| out.i64(at.as_millis()));
    if let Some(gate) = course.gate() {
        write_gate(out, gate);
    }
    if !attempts.is_empty() {
        write_attempts(out, attempts);
    }
}

fn flags(job: &PackedJob, course: &Course, attempts: &[Attempt]) -> u16 {
    let flag = |flag, holds| u16::from(holds) * flag;
    flag(flag::CANCEL_REQUESTED, job.cancel_requested)
        | flag(flag::AWAITED, job.awaited)
        | flag(flag::LEASE, course.lease.is_some())
        | flag(flag::TOKEN, course.token.is_some())
        | flag(flag::LAST_SETTLE, course.last_settle.is_some())
        | flag(flag::PROGRESS, course.progress.is_some())
        | flag(flag::LAST_ERROR, course.last_error.is_some())
        | flag(flag::FINISHED_AT, course.finished_at.is_some())
        | flag(flag::PURGE_AT, course.purge_at.is_some())
        | flag(flag::EXPIRY_LIFTED, job.expiry_lifted)
        | flag(flag::ATTEMPTS, !attempts.is_empty())
        | flag(flag::GATE, course.gate().is_some())
        | flag(flag::SIGNALS_SENT, job.signalling == Signalling::Sent)
}

impl LifecycleFields {
    /// Reads what [`write_lifecycle`] wrote.
    pub(super) fn read(from: &mut FieldReader<'_>, names: &mut InternedNames) -> Result<Self, Malformed> {
        let revision = from.u64()?;
        let state = from.code(State::from_code, "a state has no such number")?;
        let reason = match from.u8()? {
            NO_REASON => None,
            code => Some(Reason::from_code(code).ok_or(Malformed("a reason has no such number"))?),
        };
        let run_at = time(from)?;
        let epoch = from.u64()?;
        let failures = from.u32()?;
        let stalls = from.u32()?;
        let flags = from.u16()?;
        if flags & !flag::ALL != 0 {
            return Err(Malformed("a job has a part that this version does not know"));
        }
        let has = |flag| flags & flag != 0;
        let claimed_at = if epoch > 0 { Some(time(from)?) } else { None };
        let lease = if has(flag::LEASE) { Some(lease(from, names)?) } else { None };
        let token = if has(flag::TOKEN) { Some(token(from)?) } else { None };
        let last_settle = if has(flag::LAST_SETTLE) { Some(last_settle(from)?) } else { None };
        let progress = if has(flag::PROGRESS) { Some(Box::new(from.bytes()?)) } else { None };
        let (last_error, failed_at) =
            if has(flag::LAST_ERROR) { (Some(failure(from)?), Some(time(from)?)) } else { (None, None) };
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
            claimed_at,
            lease,
            token,
            last_settle,
            progress,
            last_error,
            failed_at,
            finished_at: if has(flag::FINISHED_AT) { Some(time(from)?) } else { None },
            purge_at: if has(flag::PURGE_AT) { Some(time(from)?) } else { None },
            gate: if has(flag::GATE) { Some(Box::new(read_gate(from)?)) } else { None },
            are_signals_sent: has(flag::SIGNALS_SENT),
            attempts: if has(flag::ATTEMPTS) { read_attempts(from, names)? } else { Vec::new() },
        })
    }

    /// Replaces these fields of a job, and returns the attempts that were charged to it.
    pub(crate) fn onto(self, job: &mut TrackedJob) -> Vec<Attempt> {
        (job.token, job.last_settle) = (self.token, self.last_settle);
        let meta = &mut job.meta;
        meta.revision = self.revision;
        (meta.state, meta.reason) = (self.state, self.reason);
        (meta.run_at, meta.epoch) = (self.run_at, self.epoch);
        (meta.failures, meta.stalls) = (self.failures, self.stalls);
        (meta.cancel_requested, meta.awaited) = (self.cancel_requested, self.awaited);
        meta.expiry_lifted = self.expiry_lifted;
        (meta.lease, meta.progress, meta.last_error) = (self.lease, self.progress, self.last_error);
        (meta.claimed_at, meta.failed_at) = (self.claimed_at, self.failed_at);
        (meta.finished_at, meta.purge_at) = (self.finished_at, self.purge_at);
        meta.gate = self.gate;
        if self.are_signals_sent {
            meta.signalling = Signalling::Sent;
        }
        self.attempts
    }
}

fn lease(from: &mut FieldReader<'_>, names: &mut InternedNames) -> Result<LeaseInfo, Malformed> {
    Ok(LeaseInfo { worker: names.workers.read(from)?, expires_at: time(from)? })
}

fn token(from: &mut FieldReader<'_>) -> Result<LeaseToken, Malformed> {
    from.token().map(LeaseToken::from_bytes)
}

fn last_settle(from: &mut FieldReader<'_>) -> Result<LastSettle, Malformed> {
    let token = token(from)?;
    Ok(LastSettle { token, settle: from.code(Settle::from_code, "a settle has no such number")? })
}

fn failure(from: &mut FieldReader<'_>) -> Result<Failure, Malformed> {
    let name = from.text()?;
    Ok(Failure::new(name, from.text()?))
}

pub(super) fn time(from: &mut FieldReader<'_>) -> Result<Timestamp, Malformed> {
    from.i64().map(Timestamp::from_millis)
}
