//! What the fetcher does with the answers of its calls.

use super::{
    claim_call::ClaimAnswer,
    fetcher::Fetcher,
    final_check::{has_none_due, is_done},
    queue_call::{self, CallAnswer, RemainingJobs},
};
use crate::worker::setup::EndCondition;
use futures_util::{FutureExt, StreamExt};
use queue_core::asking::{AfterClaim, jittered};
use std::{collections::VecDeque, time::Duration};
use tokio::time::Instant;

/// How often a run that ends with the last job looks whether another worker has finished it.
const OTHERS_POLL: Duration = Duration::from_millis(100);

impl Fetcher {
    /// Notes all calls that have ended by now together, so that jobs that came at the same time
    /// start mixed.
    pub(super) fn note_all(&mut self, first: CallAnswer) {
        let mut all = vec![first];
        while let Some(Some(answer)) = self.calls.next().now_or_never() {
            all.push(answer);
        }
        self.note(all);
    }

    pub(super) fn note(&mut self, mut answers: Vec<CallAnswer>) {
        self.pass_on(&mut answers);
        for answer in answers {
            match answer {
                CallAnswer::Claim(answer) => self.note_claim(answer),
                CallAnswer::Search { search, is_over: false } => {
                    self.searches.push(queue_call::go_on_searching(search, &self.run));
                }
                CallAnswer::Search { is_over: true, .. } => {}
                CallAnswer::Rescue { queue_index } => self.queues[queue_index].flight.ended(),
                CallAnswer::Look { queue_index, remaining } => self.note_look(queue_index, remaining),
            }
        }
    }

    fn note_look(&mut self, queue_index: usize, remaining: RemainingJobs) {
        self.queues[queue_index].flight.ended();
        match remaining {
            RemainingJobs::Waiting => {}
            // No hint says when they are done.
            RemainingJobs::HeldByOthers => {
                self.queues[queue_index].shorten_rest(jittered(OTHERS_POLL, &*self.run.rng));
            }
            RemainingJobs::SchedulesAtMost => {
                if let Some(check) = &mut self.final_check {
                    check.note(queue_index, false, Some(true));
                }
            }
        }
    }

    /// Passes the jobs of claims on to the dispatcher, mixed by the weights of their queues.
    fn pass_on(&mut self, answers: &mut [CallAnswer]) {
        let mut jobs_of: Vec<_> = self.queues.iter().map(|_| VecDeque::new()).collect();
        for answer in answers {
            if let CallAnswer::Claim(answer) = answer {
                jobs_of[answer.queue_index] = std::mem::take(&mut answer.jobs);
            }
        }
        let counts: Vec<usize> = jobs_of.iter().map(VecDeque::len).collect();
        let order = self.dealer.charge(&counts);
        let jobs: Vec<_> = order.into_iter().filter_map(|index| jobs_of[index].pop_front()).collect();
        if !jobs.is_empty() {
            self.dispatcher.add(jobs);
        }
    }

    fn note_claim(&mut self, answer: ClaimAnswer) {
        let ClaimAnswer { queue_index, limit, got, answer, search, .. } = answer;
        let is_done = answer.as_ref().ok().map(|answer| is_done(&self.run, answer));
        if let Some(check) = &mut self.final_check {
            check.note(queue_index, got > 0, is_done);
        }
        let queue = &mut self.queues[queue_index];
        match answer {
            Ok(answer) => {
                queue.flight.answered(Instant::now());
                if queue.note_answer(&self.run, &answer, got, limit) == AfterClaim::Rescue {
                    self.begin(queue_index, 0, queue_call::rescue(queue_index, &self.run));
                } else if (queue.rests() || has_none_due(&answer, limit)) && self.may_wait_for_others() {
                    self.begin(queue_index, 0, queue_call::look(queue_index, &self.run));
                }
            }
            Err(error) => {
                queue.flight.ended();
                queue.note_error(&self.run, error);
            }
        }
        if let Some(search) = search {
            // The answer may have been too large for the way, so the next claim asks for half (ADR
            // 0019).
            self.queues[queue_index].portion.halve(limit);
            self.calls.push(queue_call::search(search, &self.run));
        }
    }

    /// Whether jobs that keep this run from its end may be in the hands of other workers.
    fn may_wait_for_others(&self) -> bool {
        self.run.options.until == EndCondition::Empty && self.run.held.count() == 0
    }
}
