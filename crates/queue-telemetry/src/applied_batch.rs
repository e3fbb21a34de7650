//! The counts of a batch of transitions that a store has answered.

use crate::{
    QueueMetrics,
    queue_metrics::with_reason,
    sent_transition::{SentChange, SentTransition},
    words::{AttemptOutcome, SentOutcome},
};
use queue_core::{Applied, JobMeta, Stamped, Timestamp};

impl QueueMetrics {
    /// Counts what a batch did. Jobs with the same labels mostly stand in a row, and a row is
    /// counted together.
    pub(crate) fn applied(&self, mut sent: &[SentTransition], answer: &Stamped<Vec<Applied>>) {
        for row in answer.value.chunk_by(have_same_labels) {
            let Some((of_row, rest)) = sent.split_at_checked(row.len()) else { return };
            sent = rest;
            match &row[0] {
                Applied::Done(first) => self.done(first, of_row, row, answer.now),
                Applied::LeaseLost(job) if of_row[0].is_by_holder() => {
                    self.instruments().lease_lost.add(1, &self.queue(&job.queue).destination);
                }
                Applied::LeaseLost(_) | Applied::Stale(_) | Applied::Missing => {}
            }
        }
    }

    /// Counts changes of jobs that share the labels of the first. Labels are made only for jobs
    /// that are counted, so they are looked up at the first of these.
    fn done(&self, first: &JobMeta, sent: &[SentTransition], row: &[Applied], now: Timestamp) {
        let mut kind = None;
        let mut followers = 0;
        let mut counts = [0_u64; AttemptOutcome::WORDS.len()];
        for (sent, applied) in sent.iter().zip(row) {
            let Applied::Done(after) = applied else { continue };
            followers += sent.followers as u64;
            let Some(outcome) = sent.ended(after) else { continue };
            let kind = kind.get_or_insert_with(|| self.kind(&self.queue(&first.queue), &first.kind));
            let (labels, cells) = kind.of(outcome);
            match sent.reason {
                None => counts[outcome as usize] += 1,
                Some(reason) => self.instruments().attempts.add(1, &with_reason(labels, reason)),
            }
            let is_by_holder = !matches!(sent.change, SentChange::Rescue(_));
            if let Some(claimed_at) = after.claimed_at.filter(|_| is_by_holder) {
                let held = now.since(claimed_at).as_secs_f64();
                cells.held.record(&self.instruments().held, held, labels);
            }
        }
        if followers > 0 {
            let labels = &self.queue(&first.queue).sent[SentOutcome::Follower as usize];
            self.instruments().sent.add(followers, labels);
        }
        let Some(kind) = kind else { return };
        for (outcome, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            let attempts = &kind.cells[outcome].attempts;
            attempts.add(&self.instruments().attempts, count, &kind.attempts[outcome]);
        }
    }
}

/// Whether both jobs are done and have the same labels.
fn have_same_labels(one: &Applied, other: &Applied) -> bool {
    let (Applied::Done(one), Applied::Done(other)) = (one, other) else { return false };
    one.queue == other.queue && one.kind == other.kind
}
