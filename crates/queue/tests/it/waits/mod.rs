//! Waiting, on every store that the facade opens: with its hints, and with all of them dropped.
//!
//! The waiting side has one handle and the working side another, like two programs. A scenario
//! waits for conditions, so it holds on paused time as well as in real time. Tests that need an
//! exact order of events are in `wait` and `wait_bad_store`, on memory alone.

#![expect(clippy::unwrap_used, reason = "scenarios are tests, and fail by a panic")]

mod answers;
mod many;
mod outcomes;
mod stage;

use stage::{Hints, Stage};

/// Makes a test of each scenario on each stage.
macro_rules! scenarios {
    ($($name:ident)+) => {
        $(mod $name {
            use crate::waits::{Hints, Stage, play};

            #[tokio::test(start_paused = true)]
            async fn on_memory() {
                play(Stage::memory(Hints::Heard), async |stage| super::$name(stage).await).await;
            }

            #[tokio::test(start_paused = true)]
            async fn on_memory_without_hints() {
                play(Stage::memory(Hints::Dropped), async |stage| super::$name(stage).await).await;
            }

            #[tokio::test]
            async fn on_sqlite() {
                let stage = Stage::on_disk("sqlite", Hints::Heard).await;
                play(stage, async |stage| super::$name(stage).await).await;
            }

            #[tokio::test]
            async fn on_sqlite_without_hints() {
                let stage = Stage::on_disk("sqlite", Hints::Dropped).await;
                play(stage, async |stage| super::$name(stage).await).await;
            }

            #[cfg(feature = "fs")]
            #[tokio::test]
            async fn on_files() {
                let stage = Stage::on_disk("file", Hints::Heard).await;
                play(stage, async |stage| super::$name(stage).await).await;
            }

            #[cfg(feature = "fs")]
            #[tokio::test]
            async fn on_files_without_hints() {
                let stage = Stage::on_disk("file", Hints::Dropped).await;
                play(stage, async |stage| super::$name(stage).await).await;
            }
        })+
    };
}

pub(crate) use scenarios;

async fn play(stage: Stage, scenario: impl AsyncFnOnce(&Stage)) {
    scenario(&stage).await;
    stage.nobody_listens().await;
}
