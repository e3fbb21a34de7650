//! The pauses for which one job waits.

use crate::{commands::queues::pauses, exit::CliError, session::Jobs};
use queue::{
    JobMeta, StorageExt,
    queue_core::{Kind, Pause},
};
use serde_json::{Value, json};

/// The pauses of the queue and of the kind of a job that waits. Both are off for a job that does
/// not wait, since they do not concern it.
#[derive(Debug)]
pub(crate) struct JobPauses {
    kind: Kind,
    of_queue: Pause,
    of_kind: Pause,
}

impl JobPauses {
    /// Reads them after the job, so they may be of a later moment than the job.
    pub(crate) async fn read(jobs: &Jobs, job: &JobMeta) -> Result<Self, CliError> {
        let mut pauses = Self { kind: job.kind.clone(), of_queue: Pause::Off, of_kind: Pause::Off };
        if !job.state.is_waiting() || !jobs.storage().capabilities().queues {
            return Ok(pauses);
        }
        let status = jobs.storage().status_of(jobs.name()).await?;
        if let Some(status) = status {
            pauses.of_queue = status.pause;
            let own = status.paused_kinds.into_iter().find(|paused| paused.kind == job.kind);
            pauses.of_kind = own.map_or(Pause::Off, |paused| paused.pause);
        }
        Ok(pauses)
    }

    /// Whether no worker gets the job, even once it is due.
    pub(crate) fn are_on(&self) -> bool {
        self.of_queue.is_on() || self.of_kind.is_on()
    }

    /// A line for each of them that is on.
    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let kind = &self.kind;
        let whole = (self.of_queue, "its queue".to_owned(), "queue resume".to_owned());
        let own = (self.of_kind, format!("its kind {kind}"), format!("queue resume --kind {kind}"));
        let on = [whole, own].into_iter().filter(|(pause, ..)| pause.is_on());
        let line = |(pause, what, command): (Pause, String, String)| {
            ("paused", format!("{what}, until {}", pauses::end_text(pause, &command)))
        };
        on.map(line).collect()
    }

    /// Adds them to the object of the job.
    pub(crate) fn put(&self, job: &mut Value) {
        for (name, pause) in [("queue_paused", self.of_queue), ("kind_paused", self.of_kind)] {
            job[name] = json!(pause.is_on());
            job[format!("{name}_until")] = json!(pauses::until(pause));
        }
    }
}
