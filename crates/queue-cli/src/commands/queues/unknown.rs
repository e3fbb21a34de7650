//! What a command says of a queue that the store does not have: the name may be mistyped.

use crate::{
    exit::CliError,
    output::{self, Format},
    session::{Jobs, Session},
};
use queue::queue_core::{Pause, QueueFilter, QueueName, QueueStatus, StorageExt};

/// The most names of other queues that are shown.
const SHOWN_MAX: usize = 10;
/// The most queues that are asked for.
const ASKED_MAX: usize = 500;

/// Says that there is no queue of this name, and which there are. A caller who may not see the
/// queues of the store sees nothing.
pub(crate) async fn note(jobs: &Jobs) {
    if let Ok(Some(there)) = others(jobs).await {
        output::note(words(jobs.name(), &there));
    }
}

/// Warns a person who pauses a queue that the store does not have: the pause makes it.
pub(super) async fn warn_of_new(jobs: &Jobs, pause: Pause, session: &Session) {
    if pause.is_on()
        && session.out.format() == Format::Human
        && let Ok(Some(there)) = others(jobs).await
    {
        output::warn(
            Format::Human,
            format!("{}; the pause holds for jobs to come", words(jobs.name(), &there)),
        );
    }
}

/// The queues of the store, if they are all known and the one of the command is not among them.
async fn others(jobs: &Jobs) -> Result<Option<Vec<QueueStatus>>, CliError> {
    let page = jobs.storage().first_queues_of(&QueueFilter::all(), ASKED_MAX).await?;
    let is_there = page.next.is_some() || page.queues.iter().any(|queue| queue.name == *jobs.name());
    Ok((!is_there).then_some(page.queues))
}

fn words(name: &QueueName, there: &[QueueStatus]) -> String {
    let own = there.iter().filter(|queue| !queue.name.is_reserved());
    let mut names: Vec<String> = own.map(|queue| queue.name.to_string()).collect();
    if names.len() > SHOWN_MAX {
        names.truncate(SHOWN_MAX);
        names.push("..".to_owned());
    }
    if names.is_empty() {
        return format!("there is no queue {name}, nor any other");
    }
    format!("there is no queue {name}; there are: {}", names.join(", "))
}
