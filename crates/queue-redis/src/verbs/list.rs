use super::claim::read_named;
use crate::{
    client::Access,
    reply::{Reply, corrupt},
    row::{six, split},
    script::{self, Script},
    session::{Answer, Session, arg},
};
use queue_core::{JobMeta, ListFilter, ListQuery, Page, PageEnd, QueueName, Result, State};

/// Whose cursors they are. They hold a queue's own count.
const CURSORS: &str = "redis";

impl Session {
    pub(crate) async fn list(&self, query: ListQuery) -> Result<Page> {
        let after = PageEnd::parse(query.after.as_ref(), CURSORS)?;
        match &query.filter {
            ListFilter::Lapsed => self.list_lapsed(&query, after).await,
            ListFilter::Held { token } => {
                let args = vec![arg(after.seq), arg(query.limit), token.as_bytes().to_vec()];
                self.list_by_seq(&query, &script::HELD, args).await
            }
            ListFilter::Match { states, worker, kind } => {
                let worker = worker.as_ref().map_or("", |worker| worker.as_str());
                let kind = kind.as_ref().map_or("", |kind| kind.as_str());
                let args = vec![
                    arg(after.seq),
                    arg(query.limit),
                    arg(state_bits(states)),
                    worker.as_bytes().to_vec(),
                    kind.as_bytes().to_vec(),
                ];
                self.list_by_seq(&query, &script::LIST, args).await
            }
        }
    }

    async fn list_by_seq(
        &self,
        query: &ListQuery,
        script: &'static Script,
        args: Vec<Vec<u8>>,
    ) -> Result<Page> {
        let queue = self.queues.get(&query.queue);
        let Answer { moment, number, mut rest } =
            self.call("list", script, &queue, Access::Reads, args).await?;
        let behind = u64::try_from(rest.integer()?).ok();
        let jobs = metas(rest.array()?, &query.queue, number)?;
        let next = behind.map(|seq| PageEnd { seq, ..PageEnd::START }.cursor(CURSORS));
        Ok(Page { jobs, next, now: moment.now, clock: moment.clock })
    }

    async fn list_lapsed(&self, query: &ListQuery, after: PageEnd) -> Result<Page> {
        let queue = self.queues.get(&query.queue);
        let args = vec![arg(after.expires_at.as_millis()), six(after.seq).to_vec(), arg(query.limit)];
        let Answer { moment, number, mut rest } =
            self.call("list", &script::LAPSED, &queue, Access::Reads, args).await?;
        let has_more = rest.integer()? == 1;
        let jobs = metas(rest.array()?, &query.queue, number)?;
        let next = has_more.then(|| jobs.last().map_or(after, place_of).cursor(CURSORS));
        Ok(Page { jobs, next, now: moment.now, clock: moment.clock })
    }
}

fn metas(mut reply: Reply, queue: &QueueName, number: u64) -> Result<Vec<JobMeta>> {
    let mut jobs = Vec::with_capacity(reply.len());
    while reply.len() > 0 {
        let stored = read_named(queue, number, &reply.bytes()?).ok_or_else(|| corrupt("list"))?;
        jobs.push(stored.meta);
    }
    Ok(jobs)
}

fn place_of(job: &JobMeta) -> PageEnd {
    let expires_at = job.lease.as_ref().map(|lease| lease.expires_at).unwrap_or_default();
    PageEnd { expires_at, seq: split(job.seq).0 }
}

/// No state at all stands for all of them.
fn state_bits(states: &[State]) -> u32 {
    let all = if states.is_empty() { &State::ALL[..] } else { states };
    all.iter().fold(0, |bits, state| bits | 1 << state.as_code())
}
