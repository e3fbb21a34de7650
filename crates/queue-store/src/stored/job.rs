//! The record of a job: everything that is small. What is large stands beside it, so that a
//! heartbeat copies none of it.

use super::{
    gate::{read_gate, read_signalling, write_gate},
    parts::time,
    sealed::Fields,
};
use bytes::Bytes;
use queue_core::{
    Failure, JobMeta, LeaseInfo, LeaseToken, Reason, Seq, SharedTerms, Signalling, Span, State, Tags,
    lifecycle::{LastSettle, Settle, TrackedJob},
    wire::{Malformed, Reader, Writer},
};

/// A job as its store keeps it, without what is large: payload, headers, result, error details,
/// attempts and end signals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJob {
    /// What all callers may see, and what the store alone knows.
    pub job: TrackedJob,
    /// Bytes of its payload, which a claim must know before it reads any.
    pub payload_bytes: u64,
}

/// Which of the optional fields are there. A new one gets the next bit, and its field goes to the
/// end.
mod flag {
    pub(super) const REASON: u32 = 1;
    pub(super) const LEASE: u32 = 1 << 1;
    pub(super) const CANCEL_REQUESTED: u32 = 1 << 2;
    pub(super) const AWAITED: u32 = 1 << 3;
    pub(super) const PROGRESS: u32 = 1 << 4;
    pub(super) const LAST_ERROR: u32 = 1 << 5;
    pub(super) const FINISHED_AT: u32 = 1 << 6;
    pub(super) const PURGE_AT: u32 = 1 << 7;
    pub(super) const TOKEN: u32 = 1 << 8;
    pub(super) const LAST_SETTLE: u32 = 1 << 9;
    pub(super) const EXPIRES_IN: u32 = 1 << 10;
    pub(super) const EXPIRY_LIFTED: u32 = 1 << 11;
    pub(super) const TERMS: u32 = 1 << 12;
    pub(super) const TAGS: u32 = 1 << 13;
    pub(super) const CLAIMED_AT: u32 = 1 << 14;
    pub(super) const FAILED_AT: u32 = 1 << 15;
    pub(super) const GATE: u32 = 1 << 16;
    pub(super) const SIGNALLING: u32 = 1 << 17;
    pub(super) const PARTITION: u32 = 1 << 18;
    pub(super) const ALL: u32 = (1 << 19) - 1;
}

impl Fields for StoredJob {
    fn write(&self, out: &mut Writer) {
        let Self { job: TrackedJob { meta, token, last_settle }, payload_bytes } = self;
        // The order of these fields is the stored form: another order needs another `VERSION`.
        let terms = meta.terms.to_bytes();
        let has_terms = if terms.is_empty() { 0 } else { flag::TERMS };
        out.number(flags(self) | has_terms);
        write_present(out, meta);
        meta.reason.iter().for_each(|reason| out.byte(reason.as_code()));
        if let Some(lease) = &meta.lease {
            out.text(&lease.worker);
            out.signed(lease.expires_at.as_millis());
        }
        meta.progress.iter().for_each(|progress| out.blob(progress));
        if let Some(error) = &meta.last_error {
            out.text(error.name());
            out.text(error.message());
        }
        [meta.finished_at, meta.purge_at].into_iter().flatten().for_each(|at| out.signed(at.as_millis()));
        if let Some(token) = token {
            out.token(token.as_bytes());
        }
        if let Some(last) = last_settle {
            out.token(last.token.as_bytes());
            out.byte(last.settle.as_code());
        }
        meta.expires_in.iter().for_each(|span| out.signed(span.as_millis()));
        if !terms.is_empty() {
            out.blob(&terms);
        }
        meta.tags.to_text().iter().for_each(|tags| out.text(tags));
        [meta.claimed_at, meta.failed_at].into_iter().flatten().for_each(|at| out.signed(at.as_millis()));
        meta.gate.iter().for_each(|gate| write_gate(out, gate));
        if meta.signalling != Signalling::None {
            out.number(meta.signalling.as_code());
        }
        meta.partition.iter().for_each(|partition| out.text(partition));
        out.number(*payload_bytes);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        let flags: u32 = from.number()?;
        if flags & !flag::ALL != 0 {
            return Err(Malformed("a job has a field that its version does not have"));
        }
        let has = |flag| flags & flag != 0;
        let mut meta = read_present(from)?;
        meta.cancel_requested = has(flag::CANCEL_REQUESTED);
        meta.awaited = has(flag::AWAITED);
        meta.expiry_lifted = has(flag::EXPIRY_LIFTED);
        meta.reason = has(flag::REASON).then(|| from.code(Reason::from_code)).transpose()?;
        meta.lease = has(flag::LEASE).then(|| read_lease(from)).transpose()?;
        // A copy, so that a small note does not keep the whole record in memory.
        let note = |blob: Bytes| Box::new(Bytes::copy_from_slice(&blob));
        meta.progress = has(flag::PROGRESS).then(|| from.blob().map(note)).transpose()?;
        meta.last_error = has(flag::LAST_ERROR).then(|| read_failure(from)).transpose()?;
        meta.finished_at = has(flag::FINISHED_AT).then(|| time(from)).transpose()?;
        meta.purge_at = has(flag::PURGE_AT).then(|| time(from)).transpose()?;
        let token = has(flag::TOKEN).then(|| from.token().map(LeaseToken::from_bytes)).transpose()?;
        let last_settle = has(flag::LAST_SETTLE).then(|| read_last_settle(from)).transpose()?;
        meta.expires_in = has(flag::EXPIRES_IN).then(|| read_span(from)).transpose()?;
        if has(flag::TERMS) {
            meta.terms =
                SharedTerms::from_bytes(&from.blob()?).map_err(|malformed| Malformed(malformed.why()))?;
        }
        meta.tags = if has(flag::TAGS) { read_tags(from)? } else { Tags::NONE };
        meta.claimed_at = has(flag::CLAIMED_AT).then(|| time(from)).transpose()?;
        meta.failed_at = has(flag::FAILED_AT).then(|| time(from)).transpose()?;
        meta.gate = has(flag::GATE).then(|| read_gate(from).map(Box::new)).transpose()?;
        if has(flag::SIGNALLING) {
            meta.signalling = read_signalling(from)?;
        }
        meta.partition = has(flag::PARTITION).then(|| from.name()).transpose()?;
        let job = TrackedJob { meta, token, last_settle };
        Ok(Self { job, payload_bytes: from.number()? })
    }
}

/// Names every field of a record: a new field does not compile until it is decided here where it is
/// stored.
fn flags(StoredJob { job: TrackedJob { meta, token, last_settle }, payload_bytes: _ }: &StoredJob) -> u32 {
    #[rustfmt::skip]
    let JobMeta {
        // Written by `write_present`.
        queue: _, id: _, seq: _, revision: _, kind: _, priority: _, created_at: _, run_at: _, state: _, epoch: _,
        failures: _, stalls: _,
        // Written as bytes.
        terms: _,
        tags, reason, expires_in, expiry_lifted, lease, claimed_at, cancel_requested, awaited,
        progress, last_error, failed_at, finished_at, purge_at,
        gate, signalling, partition,
    } = meta;
    let flag = |flag: u32, holds: bool| u32::from(holds) * flag;
    flag(flag::REASON, reason.is_some())
        | flag(flag::LEASE, lease.is_some())
        | flag(flag::CANCEL_REQUESTED, *cancel_requested)
        | flag(flag::AWAITED, *awaited)
        | flag(flag::PROGRESS, progress.is_some())
        | flag(flag::LAST_ERROR, last_error.is_some())
        | flag(flag::FINISHED_AT, finished_at.is_some())
        | flag(flag::PURGE_AT, purge_at.is_some())
        | flag(flag::TOKEN, token.is_some())
        | flag(flag::LAST_SETTLE, last_settle.is_some())
        | flag(flag::EXPIRES_IN, expires_in.is_some())
        | flag(flag::EXPIRY_LIFTED, *expiry_lifted)
        | flag(flag::TAGS, !tags.is_empty())
        | flag(flag::CLAIMED_AT, claimed_at.is_some())
        | flag(flag::FAILED_AT, failed_at.is_some())
        | flag(flag::GATE, gate.is_some())
        | flag(flag::SIGNALLING, *signalling != Signalling::None)
        | flag(flag::PARTITION, partition.is_some())
}

/// What every job has.
fn write_present(out: &mut Writer, meta: &JobMeta) {
    out.text(&meta.queue);
    out.text(&meta.id);
    out.number(meta.seq.get());
    out.number(meta.revision);
    out.text(&meta.kind);
    out.signed(meta.priority);
    out.signed(meta.created_at.as_millis());
    out.signed(meta.run_at.as_millis());
    out.byte(meta.state.as_code());
    out.number(meta.epoch);
    out.number(meta.failures);
    out.number(meta.stalls);
}

/// A job with what [`write_present`] wrote alone.
fn read_present(from: &mut Reader) -> Result<JobMeta, Malformed> {
    Ok(JobMeta {
        queue: from.name()?,
        id: from.name()?,
        seq: Seq::new(from.number()?),
        revision: from.number()?,
        kind: from.name()?,
        tags: Tags::NONE,
        priority: from.signed()?,
        created_at: time(from)?,
        run_at: time(from)?,
        state: from.code(State::from_code)?,
        reason: None,
        epoch: from.number()?,
        failures: from.number()?,
        stalls: from.number()?,
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

fn read_lease(from: &mut Reader) -> Result<LeaseInfo, Malformed> {
    Ok(LeaseInfo { worker: from.name()?, expires_at: time(from)? })
}

fn read_failure(from: &mut Reader) -> Result<Failure, Malformed> {
    let name = from.text()?;
    Ok(Failure::new(name, from.text()?))
}

fn read_last_settle(from: &mut Reader) -> Result<LastSettle, Malformed> {
    let token = LeaseToken::from_bytes(from.token()?);
    Ok(LastSettle { token, settle: from.code(Settle::from_code)? })
}

fn read_span(from: &mut Reader) -> Result<Span, Malformed> {
    from.signed().map(Span::from_millis)
}

fn read_tags(from: &mut Reader) -> Result<Tags, Malformed> {
    Tags::from_text(Some(&from.text()?)).map_err(|_| Malformed("tags break the rules of tags"))
}
