//! `claim`: several claims of one queue in one script.

use crate::{
    body::read_body,
    client::Access,
    gate::read_signals,
    handle::{HandleState, ScriptAnswer, arg},
    kinds::read_paused,
    reply::{Reply, corrupt},
    row::{self, RedisRecord, SEQ_BYTES},
    script,
};
use bytes::Bytes;
use queue_core::{
    ClaimRequest, Claimed, ClaimedJob, JobBody, JobRecord, Moment, Pause, QueueName, Result, Seq, Timestamp,
};

/// In place of when the next job is due: now, since the share of limited partitions kept jobs back.
const KEPT_BACK: i64 = -2;

impl HandleState {
    /// Claims of one queue in one script. Those at the end that its answer has no room for are not
    /// begun.
    pub(crate) async fn claim(&self, requests: &[ClaimRequest]) -> Result<Vec<Claimed>> {
        let first = requests.first().ok_or_else(|| corrupt("claim"))?;
        let queue = self.queues.get(&first.queue);
        let args = requests.iter().flat_map(claim_args).collect();
        let ScriptAnswer { moment, number, mut rest } =
            self.call("claim", &script::CLAIM, &queue, Access::WritesLightly, args).await?;
        let mut reply = rest.array()?;
        let pause = Pause::from_millis(reply.integer()?);
        let paused_kinds = read_paused("claim", &mut rest, moment.now)?;
        let set_aside =
            if rest.len() == 0 { 0 } else { usize::try_from(rest.count()?).unwrap_or(usize::MAX) };
        let mut answers = Vec::with_capacity(requests.len());
        for request in requests {
            if reply.len() == 0 {
                break;
            }
            let answer = claimed(&mut reply, request, number, moment)?;
            answers.push(Claimed { pause, paused_kinds: paused_kinds.clone(), set_aside, ..answer });
        }
        Ok(answers)
    }
}

/// Pushes requests as `lua/claim.lua` takes them.
fn claim_args(request: &ClaimRequest) -> [Vec<u8>; 7] {
    [
        arg(request.limit),
        arg(request.lease.as_millis()),
        request.token.as_bytes().to_vec(),
        request.worker.as_str().as_bytes().to_vec(),
        request.not_after.map(|at| arg(at.as_millis())).unwrap_or_default(),
        arg(request.bytes_max),
        arg(request.limited_max.min(request.limit)),
    ]
}

fn claimed(reply: &mut Reply, request: &ClaimRequest, number: u64, moment: Moment) -> Result<Claimed> {
    let due = reply.integer()?;
    let kept_back = due == KEPT_BACK;
    let next_due =
        if kept_back { Some(moment.now) } else { (due >= 0).then_some(Timestamp::from_millis(due)) };
    let seqs = reply.bytes()?;
    let mut jobs = reply.array()?;
    let mut claimed = Vec::with_capacity(seqs.len() / SEQ_BYTES);
    for seq in seqs.chunks(SEQ_BYTES) {
        let record = record(&mut jobs, &request.queue, number, named_seq(seq, number))?;
        claimed.push(ClaimedJob { record, token: request.token });
    }
    Ok(Claimed { jobs: claimed, kept_back, ..Claimed::none(next_due, moment) })
}

/// State string, payload, and error details and end signals if the state says that there are some.
fn record(reply: &mut Reply, queue: &QueueName, number: u64, seq: Seq) -> Result<JobRecord> {
    let RedisRecord { meta, payload_bytes, has_details, has_signals, .. } =
        row::read(queue, seq, &reply.bytes()?).ok_or_else(|| corrupt("claim"))?;
    let body = read_body(&reply.bytes()?, payload_bytes);
    let (payload, headers) = body.ok_or_else(|| corrupt("claim"))?;
    let error_details = if has_details { reply.optional()? } else { None };
    let signals = if has_signals { reply.bytes()? } else { Bytes::new() };
    let end_signals = read_signals(&signals, number).ok_or_else(|| corrupt("claim"))?;
    let body = JobBody { payload, headers, result: None, error_details, end_signals };
    Ok(JobRecord { meta, body: Some(body) })
}

/// A state string behind the six bytes of its seq.
pub(super) fn read_named(queue: &QueueName, number: u64, named: &[u8]) -> Option<RedisRecord> {
    let (seq, job) = named.split_at_checked(SEQ_BYTES)?;
    row::read(queue, named_seq(seq, number), job)
}

fn named_seq(seq: &[u8], number: u64) -> Seq {
    row::seq(seq.iter().fold(0, |count, byte| count << 8 | u64::from(*byte)), number)
}
