use super::runs;
use crate::{
    client::Access,
    known::KnownQueue,
    reader::Reader,
    reply::{Reply, corrupt},
    row::{self, head, options, write_payload},
    script,
    session::{Session, arg},
    shapes::push_shapes,
};
use bytes::Bytes;
use queue_core::{Enqueued, Error, NewJob, QueueName, Result, Stamped, State, Timestamp};
use redis::Value;

/// Payloads of one group, which travels in one request: half of what a server takes from a client.
const GROUP_BYTES_MAX: usize = 512 << 20;

impl Session {
    pub(crate) async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.limits.check_enqueue(&groups)?;
        check_groups(&groups)?;
        let queue = self.queues.get(queue);
        let number = self.number(&queue).await?;
        let (mut now, mut answers) = (Timestamp::default(), Vec::with_capacity(groups.len()));
        // A call without groups asks for the time all the same.
        let mut runs = runs(groups, |group| (group.len(), bytes(group)));
        if runs.is_empty() {
            runs.push(Vec::new());
        }
        for run in runs {
            let sent = self.enqueue_run(&queue, number, &run).await;
            let (at, run_answers) = sent.map_err(|error| after(&answers, error))?;
            now = at;
            answers.extend(run_answers);
        }
        Ok(Stamped { now, value: answers })
    }

    async fn enqueue_run(
        &self,
        queue: &KnownQueue,
        number: u64,
        groups: &[Vec<NewJob>],
    ) -> Result<(Timestamp, Vec<Vec<Enqueued>>)> {
        let jobs: Vec<&NewJob> = groups.iter().flatten().collect();
        let mut args = vec![arg(number), arg(jobs.len())];
        push_jobs(&mut args, &jobs);
        let answer = self.call("enqueue", &script::ENQUEUE, queue, Access::Writes, args).await?;
        let (number, mut rest) = (answer.number, answer.rest);
        let mut read = |group: &Vec<NewJob>| group.iter().map(|_| enqueued(&mut rest, number)).collect();
        Ok((answer.now, groups.iter().map(&mut read).collect::<Result<_>>()?))
    }
}

/// As `lua/part/admit.lua` takes them.
pub(super) fn push_jobs(args: &mut Vec<Vec<u8>>, jobs: &[&NewJob]) {
    push_shapes(args, jobs.iter().map(|job| options(job)));
    args.extend(jobs.iter().map(|job| job.id.as_str().as_bytes().to_vec()));
    args.extend(jobs.iter().map(|job| head(job)));
    args.extend(jobs.iter().map(|job| write_payload(&job.payload)));
}

pub(super) fn bytes(group: &[NewJob]) -> usize {
    group.iter().map(|job| job.payload.bytes.len()).sum()
}

/// Once a part of a call has been stored, its failure is one of which something may have been applied.
pub(super) fn after<T>(answers: &[T], error: Error) -> Error {
    if answers.is_empty() { error } else { error.unknown() }
}

fn check_groups(groups: &[Vec<NewJob>]) -> Result<()> {
    if groups.iter().all(|group| bytes(group) <= GROUP_BYTES_MAX) {
        return Ok(());
    }
    Err(Error::invalid("enqueue", "payloads of one group have at most 512 MiB together; split it"))
}

/// A seq for a new life; for a duplicate its state, its seq, and the result if it is Completed.
fn enqueued(reply: &mut Reply, number: u64) -> Result<Enqueued> {
    match reply.value()? {
        Value::Int(count) => {
            let count = u64::try_from(count).map_err(|_| corrupt("enqueue"))?;
            Ok(Enqueued::Queued { seq: row::seq(count, number) })
        }
        Value::BulkString(text) => duplicate(&text.into(), number).ok_or_else(|| corrupt("enqueue")),
        _ => Err(corrupt("enqueue")),
    }
}

fn duplicate(text: &Bytes, number: u64) -> Option<Enqueued> {
    let mut from = Reader::new(text);
    let state = State::from_code(from.u8()?)?;
    let seq = row::seq(from.six()?, number);
    if state != State::Completed {
        return Some(Enqueued::Duplicate { seq, state });
    }
    let result = row::read_payload(&text.slice(from.position()..))?;
    Some(Enqueued::Completed { seq, result })
}
