//! The module `testing`, as the tests of an application use it.

mod assertions;
mod inline;
mod runs;
mod stores;

use queue::{
    testing::TestQueue,
    worker::{Context, JobError, Router},
};
use std::sync::{Arc, Mutex};

type Seen = Arc<Mutex<Vec<String>>>;

/// A router whose handler fails jobs that ask for it, and notes the others.
fn router(seen: &Seen) -> Router<Seen> {
    let handler = |text: String, context: Context<Seen>| async move {
        context.state().lock().expect("no handler panics").push(text.clone());
        if text == "bad" { Err(JobError::named("Bad", "as told")) } else { Ok(()) }
    };
    Router::new(seen.clone()).fallback(handler)
}

fn queue_and_seen() -> (TestQueue<String>, Seen) {
    (TestQueue::new(), Seen::default())
}
