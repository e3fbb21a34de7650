use super::{claim::read_named, enqueue::after};
use crate::{
    client::Access,
    known::KnownQueue,
    reply::{Reply, corrupt},
    row, script,
    session::{Answer, Session},
};
use queue_core::{Detail, JobBody, JobId, JobRecord, QueueName, Result, Stamped, Timestamp};

/// Ids in one script; the records of further ones may be of a later moment.
const IDS_MAX: usize = 1_000;

impl Session {
    pub(crate) async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let queue = self.queues.get(queue);
        let (mut now, mut found) = (Timestamp::default(), Vec::with_capacity(ids.len()));
        let mut chunks: Vec<&[JobId]> = ids.chunks(IDS_MAX).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        for ids in chunks {
            let (at, records) =
                self.get_some(&queue, ids, what).await.map_err(|error| after(&found, error))?;
            now = at;
            found.extend(records);
        }
        Ok(Stamped { now, value: found })
    }

    async fn get_some(
        &self,
        queue: &KnownQueue,
        ids: &[JobId],
        what: Detail,
    ) -> Result<(Timestamp, Vec<Option<JobRecord>>)> {
        let mut args = vec![if what == Detail::Full { b"1".to_vec() } else { b"0".to_vec() }];
        args.extend(ids.iter().map(|id| id.as_str().as_bytes().to_vec()));
        let Answer { now, number, mut rest } =
            self.call("get", &script::GET, queue, Access::Reads, args).await?;
        let mut records = rest.array()?;
        let read = ids.iter().map(|_| record(&mut records, &queue.name, number, what));
        Ok((now, read.collect::<Result<_>>()?))
    }
}

fn record(reply: &mut Reply, queue: &QueueName, number: u64, what: Detail) -> Result<Option<JobRecord>> {
    let Some(named) = reply.optional()? else { return Ok(None) };
    let meta = read_named(queue, number, &named).ok_or_else(|| corrupt("get"))?.meta;
    let body = if what == Detail::Full { Some(body(reply).ok_or_else(|| corrupt("get"))?) } else { None };
    Ok(Some(JobRecord { meta, body }))
}

fn body(reply: &mut Reply) -> Option<JobBody> {
    let payload = row::read_payload(&reply.bytes().ok()?)?;
    let result = match reply.optional().ok()? {
        Some(blob) => Some(row::read_payload(&blob)?),
        None => None,
    };
    Some(JobBody { payload, result, error_details: reply.optional().ok()? })
}
