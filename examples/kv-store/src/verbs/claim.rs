use crate::{
    attempt::{Halt, Verb},
    keys::{self, Family},
    lives::body_keys,
    row,
    transaction::Transaction,
};
use async_trait::async_trait;
use queue_core::{
    AnswerRoom, ClaimRequest, ClaimedJob, JobRecord, QueueName, Result, Seq, Timestamp, lifecycle::lease,
};

/// Due jobs in order, leased; and when there will be something else.
#[derive(Debug)]
pub(crate) struct Claim<'a> {
    pub(crate) request: &'a ClaimRequest,
}

#[async_trait]
impl Verb for Claim<'_> {
    const NAME: &'static str = "claim";
    type Answer = (Vec<ClaimedJob>, Option<Timestamp>);

    async fn attempt(&self, transaction: &mut Transaction<'_>) -> Result<Self::Answer, Halt> {
        let (queue, now) = (&self.request.queue, transaction.now());
        // So handles that live for a single claim each carry time on from one another while the clock is behind.
        if transaction.moment().is_ahead() {
            transaction.raise_mark()?;
        }
        if self.request.is_late(now) {
            return Ok((Vec::new(), Some(now)));
        }
        let due = due(transaction, self.request).await?;
        let parts =
            |seq: &Seq| [keys::life(Family::Job, queue, *seq)].into_iter().chain(body_keys(queue, *seq));
        transaction.load(due.lives.iter().flat_map(parts)).await?;
        let mut jobs = Vec::with_capacity(due.lives.len());
        for seq in due.lives {
            jobs.push(transaction.claim(self.request, seq).await?);
        }
        let leased =
            jobs.iter().filter_map(|job| job.record.meta.lease.as_ref()).map(|lease| lease.expires_at);
        let lapse = first_lapse(transaction, queue).await?;
        let next_due = leased.chain(lapse).chain(due.next).min();
        Ok((jobs, next_due))
    }
}

impl Transaction<'_> {
    async fn claim(&mut self, request: &ClaimRequest, seq: Seq) -> Result<ClaimedJob, Halt> {
        let now = self.now();
        let found = self.life(&request.queue, seq).await?.filter(|found| found.job.meta.is_due(now));
        let mut found = found.ok_or(Halt::Moved)?;
        let before = found.job.meta.clone();
        lease(&mut found.job, request, now);
        self.write(Some(&before), &found);
        let body = Some(self.body(&request.queue, seq).await?);
        Ok(ClaimedJob { record: JobRecord { meta: found.job.meta, body }, token: request.token })
    }
}

/// What the ready index says.
#[derive(Debug, Default)]
struct Due {
    lives: Vec<Seq>,
    /// The earliest time of those that are not among them: ahead, or past if the limit or the room left some over.
    next: Option<Timestamp>,
}

/// Walks the ready index, which is in the order of claims except that within each priority jobs whose time is still to
/// come stand behind those that are due: the first such job ends its priority, and the walk goes on at the next one.
/// An entry says how long the payload is, so that no more are read than the answer has room for.
async fn due(transaction: &Transaction<'_>, request: &ClaimRequest) -> Result<Due> {
    let mut rest = keys::all(Family::Ready, &request.queue);
    let (mut due, mut room) = (Due::default(), AnswerRoom::new(request.bytes_max));
    loop {
        let entries = transaction.scan(rest.clone(), request.limit - due.lives.len() + 1).await?;
        let Some((last, _)) = entries.last() else { return Ok(due) };
        rest.start = keys::after(last);
        for (entry, payload_len) in entries {
            let run_at = keys::time_of(&entry);
            let may_come = run_at <= transaction.now() && due.lives.len() < request.limit;
            if may_come && room.takes(length(&payload_len)?) {
                due.lives.push(keys::seq_of(&entry));
            } else {
                due.next = due.next.into_iter().chain([run_at]).min();
                rest.start = keys::next_priority(entry);
                break;
            }
        }
    }
}

fn length(payload_len: &[u8]) -> Result<usize> {
    Ok(usize::try_from(row::read_number(payload_len)?).unwrap_or(usize::MAX))
}

async fn first_lapse(transaction: &Transaction<'_>, queue: &QueueName) -> Result<Option<Timestamp>> {
    let first = transaction.scan(keys::all(Family::Lease, queue), 1).await?;
    Ok(first.first().map(|(entry, _)| keys::time_of(entry)))
}
