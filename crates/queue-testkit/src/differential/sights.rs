//! Makes the answers of a player comparable, and remembers the jobs in them.

use super::player::{Player, SIGHTS_MAX};
use crate::bench::prelude::*;
use queue_core::{Applied, Claimed, Enqueued, JobBody, JobMeta, JobRecord, LeaseToken, Seq, Stamped};

impl Player {
    pub(super) fn enqueued(&mut self, answer: Stamped<Vec<Vec<Enqueued>>>) -> Stamped<Vec<Vec<Enqueued>>> {
        let mut value = answer.value;
        for one in value.iter_mut().flatten() {
            match one {
                Enqueued::Queued { seq }
                | Enqueued::Duplicate { seq, .. }
                | Enqueued::Completed { seq, .. } => *seq = self.number(*seq),
                Enqueued::Orphaned => {}
            }
        }
        Stamped { value, ..answer }
    }

    /// Stores may choose an early bound for `next_due`, so only its kind is compared: now, later or
    /// never.
    pub(super) fn claimed(&mut self, mut answer: Claimed) -> Claimed {
        for job in &mut answer.jobs {
            let meta = job.record.meta.clone();
            job.record.meta = self.meta(meta, Some(job.token));
            self.number_targets(job.record.body.as_mut());
        }
        // What is set aside is up to the store, and so is what it answers meanwhile of jobs that
        // are not.
        answer.set_aside = 0;
        let is_any_paused = answer.pause.is_on() || !answer.paused_kinds.is_empty();
        let never = if is_any_paused { None } else { answer.next_due };
        answer.next_due = never.map(|at| if at <= answer.now { answer.now } else { answer.now + MILLI });
        answer
    }

    pub(super) fn applied(&mut self, answer: Stamped<Vec<Applied>>) -> Stamped<Vec<Applied>> {
        let mut value = answer.value;
        for one in &mut value {
            if let Applied::Done(meta) | Applied::LeaseLost(meta) | Applied::Stale(meta) = one {
                *meta = self.meta(meta.clone(), None);
            }
        }
        Stamped { value, ..answer }
    }

    pub(super) fn records(
        &mut self,
        answer: Stamped<Vec<Option<JobRecord>>>,
    ) -> Stamped<Vec<Option<JobRecord>>> {
        let mut value = answer.value;
        for record in value.iter_mut().flatten() {
            record.meta = self.meta(record.meta.clone(), None);
            self.number_targets(record.body.as_mut());
        }
        Stamped { value, ..answer }
    }

    pub(super) fn metas(&mut self, metas: Vec<JobMeta>) -> Vec<JobMeta> {
        metas.into_iter().map(|meta| self.meta(meta, None)).collect()
    }

    /// Remembers the sight, and renumbers its life.
    pub(super) fn meta(&mut self, meta: JobMeta, token: Option<LeaseToken>) -> JobMeta {
        self.sights.push((meta.clone(), token));
        self.sights.drain(..self.sights.len().saturating_sub(SIGHTS_MAX));
        JobMeta { seq: self.number(meta.seq), ..meta }
    }

    fn number_targets(&mut self, body: Option<&mut JobBody>) {
        for signal in body.into_iter().flat_map(|body| &mut body.end_signals) {
            signal.life = signal.life.map(|life| self.number(life));
        }
    }

    fn number(&mut self, seq: Seq) -> Seq {
        let next = self.lives.len() as u64 + 1;
        Seq::new(*self.lives.entry(seq).or_insert(next))
    }
}
