use super::claim::read_named;
use crate::{
    client::Access,
    reply::{Reply, corrupt},
    row::{six, split},
    script,
    session::{Answer, Session, arg},
};
use queue_core::{Cursor, Error, JobMeta, ListFilter, ListQuery, Page, QueueName, Result, State, Timestamp};

/// Where the last page ended: a queue's own count, and for lapsed leases the lapse before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct After {
    expires_at: Timestamp,
    count: u64,
}

impl After {
    /// Reads a cursor, or begins at the start.
    pub(crate) fn parse(cursor: Option<&Cursor>) -> Result<Self> {
        let Some(Cursor(text)) = cursor else { return Ok(Self::start()) };
        let parsed = text.split_once(':').and_then(|(expires_at, count)| {
            Some(Self {
                expires_at: Timestamp::from_millis(expires_at.parse().ok()?),
                count: count.parse().ok()?,
            })
        });
        parsed.ok_or_else(|| Error::invalid("list", "the cursor is not one of this store"))
    }

    fn start() -> Self {
        Self { expires_at: Timestamp::default(), count: 0 }
    }

    fn cursor(self) -> Cursor {
        Cursor(format!("{}:{}", self.expires_at.as_millis(), self.count))
    }
}

impl Session {
    pub(crate) async fn list(&self, query: ListQuery, after: After) -> Result<Page> {
        match &query.filter {
            ListFilter::Lapsed => self.list_lapsed(&query, after).await,
            ListFilter::Match { states, worker, kind } => {
                let worker = worker.as_ref().map_or("", |worker| worker.as_str());
                let kind = kind.as_ref().map_or("", |kind| kind.as_str());
                let args = vec![
                    arg(after.count),
                    arg(query.limit),
                    arg(state_bits(states)),
                    worker.as_bytes().to_vec(),
                    kind.as_bytes().to_vec(),
                ];
                self.list_matching(&query, args).await
            }
        }
    }

    async fn list_matching(&self, query: &ListQuery, args: Vec<Vec<u8>>) -> Result<Page> {
        let queue = self.queues.get(&query.queue);
        let Answer { now, number, mut rest } =
            self.call("list", &script::LIST, &queue, Access::Reads, args).await?;
        let behind = u64::try_from(rest.integer()?).ok();
        let jobs = metas(rest.array()?, &query.queue, number)?;
        let next = behind.map(|count| After { count, ..After::start() }.cursor());
        Ok(Page { jobs, next, now })
    }

    async fn list_lapsed(&self, query: &ListQuery, after: After) -> Result<Page> {
        let queue = self.queues.get(&query.queue);
        let args = vec![arg(after.expires_at.as_millis()), six(after.count).to_vec(), arg(query.limit)];
        let Answer { now, number, mut rest } =
            self.call("list", &script::LAPSED, &queue, Access::Reads, args).await?;
        let has_more = rest.integer()? == 1;
        let jobs = metas(rest.array()?, &query.queue, number)?;
        let next = has_more.then(|| jobs.last().map_or(after, place_of).cursor());
        Ok(Page { jobs, next, now })
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

fn place_of(job: &JobMeta) -> After {
    let expires_at = job.lease.as_ref().map(|lease| lease.expires_at).unwrap_or_default();
    After { expires_at, count: split(job.seq).0 }
}

/// No state at all stands for all of them.
fn state_bits(states: &[State]) -> u32 {
    let all = if states.is_empty() { &State::ALL[..] } else { states };
    all.iter().fold(0, |bits, state| bits | 1 << state.as_code())
}
