//! How far `queue copy` is, on a terminal.

use crate::output;
use indicatif::{ProgressBar, ProgressStyle};
use queue::{CopyPhase, CopyProgress};
use std::time::Duration;
use tokio::time::Instant;

/// A copy that is done before this shows no bar.
const QUICK: Duration = Duration::from_secs(1);

/// How far the copy is: a bar on a terminal, nothing elsewhere.
#[derive(Debug)]
pub(super) struct CopyBar {
    bar: ProgressBar,
    begun: Instant,
}

impl CopyBar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}  {elapsed}, {eta} left");
        bar.set_style(style.expect("the template is well-formed"));
        Self { bar, begun: Instant::now() }
    }

    pub(super) fn show(&self, progress: &CopyProgress<'_>) {
        if self.begun.elapsed() < QUICK {
            return;
        }
        let phase = match progress.phase {
            CopyPhase::Waiting => "waiting for running jobs",
            CopyPhase::Copying => "copying",
            CopyPhase::Verifying => "comparing",
            _ => "working",
        };
        self.bar.set_length(progress.total);
        self.bar.set_position(progress.done);
        self.bar.set_message(format!("{phase} {}", output::spelled_out(progress.queue.as_str())));
    }
}

impl Drop for CopyBar {
    fn drop(&mut self) {
        if self.begun.elapsed() >= QUICK {
            self.bar.finish_and_clear();
        }
    }
}
