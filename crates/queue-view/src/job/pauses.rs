//! The pauses for which one job waits.

use crate::words::date;
use queue_core::{JobMeta, Pause, Result, Storage, StorageExt, Timestamp};
use serde::Serialize;

/// The pauses of the queue and of the kind of a job that waits. Both are off for a job that does
/// not wait, since they do not concern it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobPauses {
    /// That of its queue.
    pub of_queue: Pause,
    /// That of its kind.
    pub of_kind: Pause,
}

/// A part of a queue that is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PausedPart {
    /// The whole queue.
    Queue,
    /// The kind of the job.
    Kind,
}

/// A pause that is on, as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = JobPause))]
pub struct PauseView {
    of: PausedPart,
    /// When it ends by itself; `null` if it is to be resumed.
    until_ms: Option<i64>,
}

impl JobPauses {
    /// Reads them after the job, so they may be of a later moment than the job.
    ///
    /// # Errors
    /// The errors of [`Storage::queues`].
    pub async fn read(store: &dyn Storage, job: &JobMeta) -> Result<Self> {
        if !job.state.is_waiting() {
            return Ok(Self::default());
        }
        let Some(status) = store.status_of(&job.queue).await? else { return Ok(Self::default()) };
        let own = status.paused_kinds.into_iter().find(|paused| paused.kind == job.kind);
        Ok(Self { of_queue: status.pause, of_kind: own.map_or(Pause::Off, |paused| paused.pause) })
    }

    /// Whether no worker gets the job, even once it is due.
    pub const fn are_on(&self) -> bool {
        self.of_queue.is_on() || self.of_kind.is_on()
    }

    /// Those that are on, as JSON.
    pub fn views(&self) -> impl Iterator<Item = PauseView> {
        let on = [(PausedPart::Queue, self.of_queue), (PausedPart::Kind, self.of_kind)];
        let on = on.into_iter().filter(|(_, pause)| pause.is_on());
        on.map(|(of, pause)| PauseView { of, until_ms: pause.until().map(Timestamp::as_millis) })
    }

    /// Those that are on, in words: `its queue, until it is resumed`.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let on = [("its queue", self.of_queue), ("its kind", self.of_kind)];
        on.into_iter().filter(|(_, pause)| pause.is_on()).map(|(what, pause)| {
            let end = pause.until().map_or_else(|| "it is resumed".to_owned(), date);
            format!("{what}, until {end}")
        })
    }
}
