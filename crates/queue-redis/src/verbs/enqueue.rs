//! `enqueue`: stores groups of jobs, as many in one script as it may take.

use super::runs;
use crate::{
    body::read_payload,
    client::Access,
    handle::{HandleState, arg},
    known_queues::KnownQueue,
    new_job::{head, new_body, options},
    reader::Reader,
    reply::{Reply, corrupt},
    row, script,
    shapes::push_shapes,
};
use bytes::Bytes;
use queue_core::{
    AnswerRoom, Enqueued, Error, Limits, Moment, NewJob, QueueName, Result, Stamped, State, payload_bytes,
};

impl HandleState {
    pub(crate) async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.limits.check_enqueue(&groups)?;
        let queue = self.queues.get(queue);
        // A queue gets no number by jobs that are all to raise one of its jobs: they are orphans
        // there.
        let all_raise = !groups.iter().all(Vec::is_empty) && groups.iter().flatten().all(NewJob::raises);
        let number = if all_raise && self.find_number("enqueue", &queue).await?.is_none() {
            0
        } else {
            self.number("enqueue", &queue).await?
        };
        let mut moment = Moment::default();
        let mut answers = Vec::with_capacity(groups.len());
        // A call without groups still asks for the time.
        let mut runs = runs(groups, |group| (weight(group), payload_bytes(group)));
        if runs.is_empty() {
            runs.push(Vec::new());
        }
        for run in runs {
            let sent = self.enqueue_run(&queue, number, &run, room(&answers, self.limits)).await;
            let (at, run_answers) = sent.map_err(|error| after(&answers, error))?;
            moment = at;
            answers.extend(run_answers);
        }
        // Each script kept within the bound by itself.
        AnswerRoom::new(self.limits.answer_bytes_max).trim_results(&mut answers);
        Ok(Stamped::at(moment, answers))
    }

    async fn enqueue_run(
        &self,
        queue: &KnownQueue,
        number: u64,
        groups: &[Vec<NewJob>],
        room: Vec<u8>,
    ) -> Result<(Moment, Vec<Vec<Enqueued>>)> {
        let jobs: Vec<&NewJob> = groups.iter().flatten().collect();
        let mut args = vec![arg(number), arg(jobs.len()), room];
        push_jobs(&mut args, &jobs, number);
        let answer = self.call("enqueue", &script::ENQUEUE, queue, Access::Writes, args).await?;
        let mut each = enqueued(answer.rest, answer.number, jobs.len())?.into_iter();
        Ok((answer.moment, groups.iter().map(|group| each.by_ref().take(group.len()).collect()).collect()))
    }
}

/// A script looks at each job that a signal is to.
fn weight(group: &[NewJob]) -> usize {
    group.iter().map(|job| 1 + job.end_signals.len()).sum()
}

/// Pushes jobs as `lua/part/admit.lua` takes them, for the queue of this number.
pub(super) fn push_jobs(args: &mut Vec<Vec<u8>>, jobs: &[&NewJob], number: u64) {
    push_shapes(args, jobs.iter().map(|job| options(job)));
    args.extend(jobs.iter().map(|job| head(job)));
    args.extend(jobs.iter().map(|job| new_body(job, number)));
}

/// How many bytes of results the next script may answer with: none once one was left out.
fn room(answers: &[Vec<Enqueued>], limits: Limits) -> Vec<u8> {
    let is_left_out = |answer: &Enqueued| matches!(answer, Enqueued::Completed { result: None, .. });
    if answers.iter().flatten().any(is_left_out) { b"-1".to_vec() } else { arg(limits.answer_bytes_max) }
}

/// Once a part of a call has been stored, its failure is one of which something may have been
/// applied.
pub(super) fn after<T>(answers: &[T], error: Error) -> Error {
    if answers.is_empty() { error } else { error.unknown() }
}

/// The last seq before, then the places of duplicates, and what they are duplicates of; all others
/// have the next seqs.
fn enqueued(mut reply: Reply, number: u64, jobs: usize) -> Result<Vec<Enqueued>> {
    let mut last = reply.count()?;
    let mut all = Vec::with_capacity(jobs);
    let mut begin = |all: &mut Vec<Enqueued>, until: usize| {
        while all.len() < until {
            last += 1;
            all.push(Enqueued::Queued { seq: row::seq(last, number) });
        }
    };
    while reply.len() > 0 {
        let place = usize::try_from(reply.count()?).unwrap_or(usize::MAX);
        if place <= all.len() || place > jobs {
            return Err(corrupt("enqueue"));
        }
        begin(&mut all, place - 1);
        all.push(duplicate(&reply.bytes()?, number).ok_or_else(|| corrupt("enqueue"))?);
    }
    begin(&mut all, jobs);
    Ok(all)
}

/// State, seq, and the result if it is Completed and there was room for it; nothing for an orphan.
fn duplicate(text: &Bytes, number: u64) -> Option<Enqueued> {
    if text.is_empty() {
        return Some(Enqueued::Orphaned);
    }
    let mut from = Reader::new(text);
    let state = State::from_code(from.u8()?)?;
    let seq = row::seq(from.six()?, number);
    if state != State::Completed {
        return Some(Enqueued::Duplicate { seq, state });
    }
    let result = text.slice(from.position()..);
    let result = if result.is_empty() { None } else { Some(read_payload(&result)?) };
    Some(Enqueued::Completed { seq, result })
}
