//! `apply`: transitions, one script for each queue of a batch.

use super::{
    enqueue::{after, push_jobs},
    runs,
};
use crate::{
    client::Access,
    handle::{HandleState, ScriptAnswer, arg},
    known_queues::KnownQueue,
    reply::{Reply, corrupt},
    row::{self, push_short, six, split},
    script,
    shapes::{push_shapes, two},
    transition::{large, shape},
};
use futures_util::future::join_all;
use queue_core::{
    Applied,
    Certainty::NotApplied,
    Moment, NewJob, QueueName, Result, Stamped,
    lifecycle::{Lapse, Transition},
};
use std::collections::BTreeMap;

/// The outcome of a transition, as `lua/apply.lua` answers.
const IS_DONE: u64 = 0;
const IS_LOST: u64 = 1;
const IS_STALE: u64 = 2;
const IS_MISSING: u64 = 3;

impl HandleState {
    pub(crate) async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.limits.check_apply(&batch)?;
        if batch.is_empty() {
            return Ok(Stamped::at(self.now("apply").await?, Vec::new()));
        }
        let mut by_queue: BTreeMap<(QueueName, u64), Vec<(usize, Transition)>> = BTreeMap::new();
        for (at, sent) in batch.into_iter().enumerate() {
            by_queue.entry(home(&sent)).or_default().push((at, sent));
        }
        let parts = by_queue.into_iter().map(|((queue, _), sent)| self.apply_to(queue, sent));
        // A part that fails, as when its node has ended, is no reason to drop the others half-way.
        let parts = all(join_all(parts).await)?;
        let latest = parts.iter().map(Stamped::moment).max_by_key(|moment| moment.now).unwrap_or_default();
        let mut answers: Vec<_> = parts.into_iter().flat_map(|part| part.value).collect();
        answers.sort_unstable_by_key(|(at, _)| *at);
        Ok(Stamped::at(latest, answers.into_iter().map(|(_, applied)| applied).collect()))
    }

    /// Answers with the places of the transitions in the whole batch.
    async fn apply_to(
        &self,
        queue: QueueName,
        batch: Vec<(usize, Transition)>,
    ) -> Result<Stamped<Vec<(usize, Applied)>>> {
        let queue = self.queues.get(&queue);
        let mut moment = Moment::default();
        let mut answers = Vec::with_capacity(batch.len());
        for run in runs(batch, |(_, sent)| weigh(sent)) {
            let (places, run): (Vec<usize>, Vec<Transition>) = run.into_iter().unzip();
            let sent = self.apply_run(&queue, &run).await;
            // A failure after the first run leaves the outcome of the whole call unknown.
            let (at, applied) = sent.map_err(|error| after(&answers, error))?;
            moment = at;
            answers.extend(places.into_iter().zip(applied));
        }
        Ok(Stamped::at(moment, answers))
    }

    async fn apply_run(&self, queue: &KnownQueue, batch: &[Transition]) -> Result<(Moment, Vec<Applied>)> {
        let mut args = Vec::new();
        push_batch(&mut args, batch);
        let ScriptAnswer { moment, number, mut rest } =
            self.call("apply", &script::APPLY, queue, access(batch), args).await?;
        Ok((moment, all_applied(&mut rest, batch, number)?))
    }
}

/// The parts, or the first error, whose outcome is unknown if any part was applied or may have
/// been.
fn all<T>(parts: Vec<Result<T>>) -> Result<Vec<T>> {
    let may_be_applied = |part: &Result<T>| !matches!(part, Err(error) if error.certainty() == NotApplied);
    let some_applied = parts.iter().any(may_be_applied);
    let parts: Result<Vec<T>> = parts.into_iter().collect();
    parts.map_err(|error| if some_applied { error.unknown() } else { error })
}

/// The queue, and the number that it had when the life began.
fn home(sent: &Transition) -> (QueueName, u64) {
    (sent.queue.clone(), split(sent.seq).1)
}

/// Heartbeats and lapses, which look at the clock, are about leases alone.
fn access(batch: &[Transition]) -> Access {
    let lightly = batch.iter().all(|sent| sent.guard.lapse != Lapse::Any);
    if lightly { Access::WritesLightly } else { Access::Writes }
}

/// Jobs and bytes.
fn weigh(sent: &Transition) -> (usize, usize) {
    (sent.weight(), sent.large_bytes())
}

/// Pushes transitions as `lua/apply.lua` takes them. All are about lives of one number of their
/// queue.
fn push_batch(args: &mut Vec<Vec<u8>>, batch: &[Transition]) {
    let (_, number) = batch.first().map_or((0, 0), |sent| split(sent.seq));
    let then: Vec<&NewJob> = batch.iter().flat_map(|sent| &sent.then).collect();
    args.extend([arg(number), arg(batch.len())]);
    push_shapes(args, batch.iter().map(shape));
    args.push(batch.iter().flat_map(|sent| six(split(sent.seq).0)).collect());
    args.push(ids(batch));
    push_larges(args, batch);
    args.push(if then.is_empty() { Vec::new() } else { follows(batch) });
    args.push(arg(then.len()));
    if !then.is_empty() {
        push_jobs(args, &then, number);
    }
}

/// Each id behind its length.
fn ids(batch: &[Transition]) -> Vec<u8> {
    let mut ids = Vec::with_capacity(batch.iter().map(|sent| 1 + sent.id.as_str().len()).sum());
    for sent in batch {
        push_short(&mut ids, sent.id.as_str().as_bytes());
    }
    ids
}

/// How many large parts there are, and they: one for all if all are alike, as results of nothing
/// are.
fn push_larges(args: &mut Vec<Vec<u8>>, batch: &[Transition]) {
    let mut larges: Vec<_> = batch.iter().map(|sent| large(&sent.patch)).collect();
    if larges.windows(2).all(|two| two[0] == two[1]) {
        larges.truncate(1);
    }
    args.push(arg(larges.len()));
    args.append(&mut larges);
}

/// Two bytes for each transition: how many jobs follow it.
fn follows(batch: &[Transition]) -> Vec<u8> {
    batch.iter().flat_map(|sent| two(sent.then.len()).to_be_bytes()).collect()
}

/// The places and outcomes of those that are not done, then all records.
fn all_applied(rest: &mut Reply, batch: &[Transition], number: u64) -> Result<Vec<Applied>> {
    let mut others = rest.array()?;
    let mut records = rest.array()?;
    let mut outcomes = vec![IS_DONE; batch.len()];
    while others.len() > 0 {
        let place = usize::try_from(others.count()?).map_err(|_| corrupt("apply"))?;
        let outcome = place.checked_sub(1).and_then(|at| outcomes.get_mut(at));
        *outcome.ok_or_else(|| corrupt("apply"))? = others.count()?;
    }
    let each = batch.iter().zip(outcomes);
    each.map(|(sent, outcome)| applied(outcome, &records.bytes()?, sent, number)).collect()
}

fn applied(outcome: u64, job: &[u8], sent: &Transition, number: u64) -> Result<Applied> {
    if outcome == IS_MISSING {
        return Ok(Applied::Missing);
    }
    let (count, _) = split(sent.seq);
    let stored = row::read(&sent.queue, row::seq(count, number), job).ok_or_else(|| corrupt("apply"))?;
    match outcome {
        IS_DONE => Ok(Applied::Done(stored.meta)),
        IS_LOST => Ok(Applied::LeaseLost(stored.meta)),
        IS_STALE => Ok(Applied::Stale(stored.meta)),
        _ => Err(corrupt("apply")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{APPLY_TEXT, assert_same_constants};
    use queue_core::{Certainty, Error, ErrorKind};

    fn certainty(parts: Vec<Result<()>>) -> Certainty {
        all(parts).expect_err("a part failed").certainty()
    }

    #[test]
    fn the_script_that_applies_has_the_same_numbers_for_outcomes() {
        assert_same_constants!(APPLY_TEXT: IS_DONE, IS_LOST, IS_STALE, IS_MISSING);
    }

    #[test]
    fn a_batch_is_not_applied_if_no_part_of_it_was() {
        let refused = || Err(Error::new(ErrorKind::Unavailable, "apply", "it is gone"));
        let unknown = || refused().map_err(Error::unknown);
        assert_eq!(certainty(vec![refused(), refused()]), NotApplied);
        assert_eq!(certainty(vec![refused(), unknown()]), Certainty::Unknown);
        assert_eq!(certainty(vec![Ok(()), refused()]), Certainty::Unknown);
        assert_eq!(all(vec![Ok(1), Ok(2)]).expect("both were"), [1, 2]);
    }
}
