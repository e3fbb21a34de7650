use super::{claim::read_named, enqueue::after};
use crate::{
    client::Access,
    known::KnownQueue,
    reply::{Reply, corrupt},
    row::{self, SEQ_BYTES, StoredJob},
    script,
    session::{Answer, Session},
};
use bytes::Bytes;
use queue_core::{Detail, JobBody, JobId, JobRecord, QueueName, Result, Stamped, Timestamp};
use std::sync::Arc;

/// Ids in one script; the records of further ones may be of a later moment.
const IDS_MAX: usize = 1_000;

impl Session {
    pub(crate) async fn get(
        self: &Arc<Self>,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let (session, queue) = (self.clone(), self.queues.get(queue));
        let (mut now, mut found) = (Timestamp::default(), Vec::with_capacity(ids.len()));
        let mut chunks: Vec<&[JobId]> = ids.chunks(IDS_MAX).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        let send = {
            let queue = queue.clone();
            move |_, ids| {
                let (session, queue) = (session.clone(), queue.clone());
                async move { session.get_some(&queue, ids, what).await }
            }
        };
        for ids in chunks {
            let read = self.reads.read((queue.name.clone(), what), ids.to_vec(), send.clone()).await;
            let records = read.map_err(|error| after(&found, error))?;
            now = records.now;
            found.extend(records.value);
        }
        Ok(Stamped { now, clock: now, value: found })
    }

    async fn get_some(
        &self,
        queue: &KnownQueue,
        ids: Vec<JobId>,
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let mut args = vec![if what == Detail::Full { b"1".to_vec() } else { b"0".to_vec() }];
        args.extend(ids.iter().map(|id| id.as_str().as_bytes().to_vec()));
        let Answer { now, number, mut rest } =
            self.call("get", &script::GET, queue, Access::Reads, args).await?;
        let mut records = rest.array()?;
        let read = ids.iter().map(|_| record(&mut records, &queue.name, number, what));
        Ok(Stamped { now, clock: now, value: read.collect::<Result<_>>()? })
    }
}

fn record(reply: &mut Reply, queue: &QueueName, number: u64, what: Detail) -> Result<Option<JobRecord>> {
    let Some(named) = reply.optional()? else { return Ok(None) };
    let StoredJob { meta, result_at, .. } =
        read_named(queue, number, &named).ok_or_else(|| corrupt("get"))?;
    let within = result_at.map(|at| named.slice(SEQ_BYTES + at..));
    let body =
        if what == Detail::Full { Some(body(reply, within).ok_or_else(|| corrupt("get"))?) } else { None };
    Ok(Some(JobRecord { meta, body }))
}

/// `within` is the result that stands in the state string.
fn body(reply: &mut Reply, within: Option<Bytes>) -> Option<JobBody> {
    let payload = row::read_payload(&reply.bytes().ok()?)?;
    let result = match reply.optional().ok()?.or(within) {
        Some(blob) => Some(row::read_payload(&blob)?),
        None => None,
    };
    Some(JobBody { payload, result, error_details: reply.optional().ok()? })
}
