//! Copies trace contexts to the jobs that follow jobs which the caller does not hold.

use crate::{Detail, Headers, JobId, QueueName, Storage, lifecycle::Transition};

/// Copies the trace context of jobs that the caller does not hold to the jobs that follow them. A
/// listing brings no headers, so the jobs that have followers are read again. These are few: jobs
/// that fail for good and asked for a follow-up.
pub(super) async fn trace_followers<S: Storage + ?Sized>(
    store: &S,
    queue: &QueueName,
    transitions: &mut [Transition],
) {
    let mut left: Vec<&mut Transition> = transitions.iter_mut().filter(|it| !it.then.is_empty()).collect();
    while !left.is_empty() {
        let ids: Vec<JobId> = left.iter().map(|transition| transition.id.clone()).collect();
        // A missing trace must not fail a rescue, so the followers of an unreadable job have none.
        let Ok(found) = store.get(queue, &ids, Detail::Full).await else { return };
        let asked = left.len();
        let mut unread = Vec::new();
        for (transition, record) in left.into_iter().zip(found.value) {
            let Some(record) = record.filter(|record| record.meta.seq == transition.seq) else { continue };
            match record.body {
                Some(body) => go_on(&body.headers, transition),
                // The answer was full.
                None => unread.push(transition),
            }
        }
        if unread.len() == asked {
            return;
        }
        left = unread;
    }
}

fn go_on(headers: &Headers, transition: &mut Transition) {
    headers.trace_on(&mut transition.then);
}
