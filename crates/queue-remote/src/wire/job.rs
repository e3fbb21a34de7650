//! Jobs: new ones, their metadata, their bodies, their attempts.

use super::{Source, Wire, hash, mix};
use bytes::Bytes;
use queue_core::{
    Attempt, AttemptOutcome, ContentType, EndOutcome, EndSignal, Failure, Gate, Headers, JobAttempts,
    JobBody, JobId, JobMeta, JobRecord, Kind, LeaseInfo, NewGate, NewJob, OnFailed, OnWaiting, Partition,
    Payload, QueueName, Reason, Seq, SharedTerms, Signalling, Span, State, Tags, Tally, Timestamp, WholeJob,
    WorkerId,
    wire::{Malformed, Writer},
};

numbered! { State, Reason, AttemptOutcome, EndOutcome }

record! {
    Payload { bytes: Bytes, content_type: ContentType }
    NewJob {
        id: JobId,
        kind: Kind,
        payload: Payload,
        headers: Headers,
        tags: Tags,
        priority: i16,
        delay: Span,
        expires_in: Option<Span>,
        terms: SharedTerms,
        on_failed: OnFailed,
        on_waiting: OnWaiting,
        awaited: bool,
        gate: Option<NewGate>,
        end_signals: Vec<EndSignal>,
        partition: Option<Partition>,
    }
    LeaseInfo { worker: WorkerId, expires_at: Timestamp }
    JobBody {
        payload: Payload,
        headers: Headers,
        result: Option<Payload>,
        error_details: Option<Bytes>,
        end_signals: Vec<EndSignal>,
    }
    NewGate { needs: u64, is_sealed: bool, timeout: Option<Span> }
    EndSignal { to: JobId, life: Option<Seq>, raises: bool, tolerant: bool, urgent: bool }
    Gate {
        needs: u64,
        signals: u64,
        tally: Tally,
        is_sealed: bool,
        heeds_urgent: bool,
        closed_at: Option<u64>,
    }
    Tally { completed: u64, failed: u64, cancelled: u64 }
    JobRecord { meta: JobMeta, body: Option<JobBody> }
    JobAttempts { meta: JobMeta, attempts: Vec<Attempt> }
    WholeJob { meta: JobMeta, body: JobBody, attempts: Vec<Attempt> }
    Attempt {
        epoch: u64,
        worker: WorkerId,
        claimed_at: Timestamp,
        ended_at: Timestamp,
        outcome: AttemptOutcome,
        error_name: String,
        error_message: String,
    }
    JobMeta {
        queue: QueueName,
        id: JobId,
        seq: Seq,
        revision: u64,
        kind: Kind,
        tags: Tags,
        priority: i16,
        created_at: Timestamp,
        run_at: Timestamp,
        state: State,
        reason: Option<Reason>,
        epoch: u64,
        failures: u32,
        stalls: u32,
        expires_in: Option<Span>,
        expiry_lifted: bool,
        terms: SharedTerms,
        lease: Option<LeaseInfo>,
        claimed_at: Option<Timestamp>,
        cancel_requested: bool,
        awaited: bool,
        progress: Option<Box<Bytes>>,
        last_error: Option<Failure>,
        failed_at: Option<Timestamp>,
        finished_at: Option<Timestamp>,
        purge_at: Option<Timestamp>,
        gate: Option<Box<Gate>>,
        signalling: Signalling,
        partition: Option<Partition>,
    }
}

choice! {
    Signalling { 0 = None, 1 = Owed(count: u8), 2 = Sent }
    OnFailed { 0 = Block, 1 = Replace }
    OnWaiting { 0 = Block, 1 = Replace { max_wait: Option<Span> } }
}

impl Wire for Failure {
    const SCHEMA: u64 = hash(0, "Failure { name, message, details }");

    fn put(&self, out: &mut Writer) {
        out.text(self.name());
        out.text(self.message());
        self.details().cloned().put(out);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        let name = from.reader.text()?;
        let failure = Self::new(name, from.reader.text()?);
        Ok(match Option::<Bytes>::read(from)? {
            Some(details) => failure.with_details(details),
            None => failure,
        })
    }
}
