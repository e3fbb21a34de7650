//! How lives begin in the model: enqueued, and behind other jobs.

use super::{
    answer::Taken,
    card::{Body, Card},
    job::{FollowUp, Job},
    op::{IDS, KINDS, New},
    request::MOURN,
    world::World,
};
use queue_core::{OnFailed, OnWaiting, State};

impl World {
    pub(super) fn enqueue(&mut self, new: &New) -> Taken {
        let id = IDS[new.id];
        let mut first_at = None;
        if let Some(job) = self.jobs.get(id) {
            let (life, state) = (job.card.life, job.card.state);
            match (state, &job.body.result) {
                (State::Cancelled, _) => {}
                _ if job.has_expired(self.now) => {}
                (State::Queued | State::Failing, _) if new.on_waiting != OnWaiting::Block => {
                    first_at = Some(job.card.created_at);
                }
                (State::Failed, _) if new.on_failed == OnFailed::Replace => {}
                (State::Completed, Some(result)) => {
                    return Taken::Done { life, result: Some(result.clone()) };
                }
                _ => return Taken::By { life, state },
            }
        }
        self.lives += 1;
        let mut job = self.begin(new);
        if let Some(first_at) = first_at {
            in_place(&mut job.card, new, first_at, self.now);
        }
        self.jobs.insert(id.to_owned(), job);
        Taken::New { life: self.lives }
    }

    /// Enqueues what follows another job. Lives that end in the same step are never seen, so they
    /// get no number.
    pub(super) fn follow(&mut self, named: &[New], follow_up: Option<FollowUp>) {
        let before = self.lives;
        for new in named {
            self.enqueue(new);
        }
        if let Some(follow_up) = follow_up {
            self.lives += 1;
            let FollowUp { id, kind, payload } = follow_up;
            let card = Card::plain(self.lives, id.clone(), &kind, self.now);
            let content_type = "application/json".to_owned();
            self.jobs.insert(id, first(card, Body { payload, content_type, ..Body::default() }));
        }
        let mut begun: Vec<&mut Job> = self.jobs.values_mut().filter(|job| job.card.life > before).collect();
        begun.sort_by_key(|job| job.card.life);
        self.lives = before + begun.len() as u64;
        for (life, job) in (before + 1..).zip(begun) {
            job.card.life = life;
        }
    }

    fn begin(&self, new: &New) -> Job {
        let card = Card {
            priority: new.priority,
            run_at: self.now + new.delay_ms,
            max_attempts: new.max_attempts,
            max_stalls: new.max_stalls,
            expires_in_ms: new.expires_after_ms.map(|ms| new.delay_ms + ms),
            time_limit_ms: new.time_limit_ms,
            awaited: new.awaited,
            on_failure: new.is_mourned.then(|| MOURN.to_owned()),
            keep_completed: new.keep_completed,
            keep_failed: new.keep_failed,
            tags: new.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Card::plain(self.lives, IDS[new.id].to_owned(), KINDS[new.kind], self.now)
        };
        let content_type = "application/octet-stream".to_owned();
        let header = new.header.clone();
        first(card, Body { payload: new.payload.clone(), content_type, header, ..Body::default() })
    }
}

/// It takes the place of one that waited: it is as old as the first of them, and may be due before
/// its own delay.
fn in_place(card: &mut Card, new: &New, first_at: i64, now: i64) {
    card.created_at = first_at;
    if let OnWaiting::Replace { max_wait: Some(max_wait) } = new.on_waiting {
        let latest = first_at + max_wait.as_millis();
        card.run_at = card.run_at.min(if latest < now { now } else { latest });
    }
}

fn first(card: Card, body: Body) -> Job {
    Job { card, body, held_by: None, let_go: None, follow_up: None }
}
