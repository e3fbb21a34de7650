//! `get`: jobs by their ids.

use super::{claim::read_named, enqueue::after};
use crate::{
    body::{read_body, read_payload},
    client::Access,
    gate::read_signals,
    handle::{HandleState, ScriptAnswer, arg},
    known_queues::KnownQueue,
    reply::{Reply, corrupt},
    row::{RedisRecord, SEQ_BYTES},
    script,
};
use bytes::Bytes;
use queue_core::{AnswerRoom, Detail, JobBody, JobId, JobRecord, Moment, QueueName, Result, Stamped};

/// Ids in one script; the records of further ones may be of a later moment.
const IDS_MAX: usize = 1_000;

impl HandleState {
    pub(crate) async fn get(
        &self,
        name: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let queue = self.queues.get(name);
        let mut moment = Moment::default();
        let mut found = Vec::with_capacity(ids.len());
        let mut chunks: Vec<&[JobId]> = ids.chunks(IDS_MAX).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        let mut part = what;
        for ids in chunks {
            let read = self.get_some(&queue, ids, part).await;
            let records = read.map_err(|error| after(&found, error))?;
            moment = records.moment();
            if records.value.iter().flatten().any(|record| record.body.is_none()) {
                // What follows has no room either.
                part = Detail::Meta;
            }
            found.extend(records.value);
        }
        // Each script kept within the bound by itself, and answered others too.
        AnswerRoom::new(self.limits.answer_bytes_max).trim_records(&mut found);
        Ok(Stamped::at(moment, found))
    }

    async fn get_some(
        &self,
        queue: &KnownQueue,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let room = if what == Detail::Full { arg(self.limits.answer_bytes_max) } else { Vec::new() };
        let mut args = vec![room];
        args.extend(ids.iter().map(|id| id.as_str().as_bytes().to_vec()));
        let ScriptAnswer { moment, number, mut rest } =
            self.call("get", &script::GET, queue, Access::Reads, args).await?;
        let mut records = rest.array()?;
        let read = ids.iter().map(|_| record(&mut records, &queue.name, number, what));
        Ok(Stamped::at(moment, read.collect::<Result<_>>()?))
    }
}

fn record(reply: &mut Reply, queue: &QueueName, number: u64, what: Detail) -> Result<Option<JobRecord>> {
    let Some(named) = reply.optional()? else { return Ok(None) };
    let RedisRecord { meta, payload_bytes, result_at, has_signals, .. } =
        read_named(queue, number, &named).ok_or_else(|| corrupt("get"))?;
    let within = result_at.map(|at| named.slice(SEQ_BYTES + at..));
    if what == Detail::Meta {
        return Ok(Some(JobRecord { meta, body: None }));
    }
    let mut body = body(reply, payload_bytes, within)?;
    if has_signals {
        let signals = read_signals(&reply.bytes()?, number).ok_or_else(|| corrupt("get"))?;
        body = body.map(|body| JobBody { end_signals: signals, ..body });
    }
    Ok(Some(JobRecord { meta, body }))
}

/// No body if there was no room for it; `within` is the result that stands in the state string.
fn body(reply: &mut Reply, payload_bytes: u32, within: Option<Bytes>) -> Result<Option<JobBody>> {
    let payload = reply.optional()?;
    let result = reply.optional()?;
    let error_details = reply.optional()?;
    let Some(payload) = payload else { return Ok(None) };
    let read = |blob| read_payload(&blob).ok_or_else(|| corrupt("get"));
    let result = result.or(within).map(read).transpose()?;
    let (payload, headers) = read_body(&payload, payload_bytes).ok_or_else(|| corrupt("get"))?;
    Ok(Some(JobBody { payload, headers, result, error_details, end_signals: Vec::new() }))
}
