use crate::{Detail, Headers, JobId, QueueName, Storage, lifecycle::Transition};

/// Has what follows jobs that nobody here holds go on with their traces. A listing brings no
/// headers, so those jobs alone that have followers are read again: jobs that fail for good and
/// asked for a follower, which is nearly none.
pub(super) async fn trace_followers<S: Storage + ?Sized>(
    store: &S,
    queue: &QueueName,
    transitions: &mut [Transition],
) {
    let mut left: Vec<&mut Transition> = transitions.iter_mut().filter(|it| !it.then.is_empty()).collect();
    while !left.is_empty() {
        let ids: Vec<JobId> = left.iter().map(|transition| transition.id.clone()).collect();
        // A trace is worth no failed rescue: what cannot be read goes without.
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
