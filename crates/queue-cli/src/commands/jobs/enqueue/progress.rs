//! The progress bar of `queue enqueue --lines`, shown on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// How often the displayed clock moves while nothing happens.
const TICK: Duration = Duration::from_millis(200);

/// The display while lines are read: a bar on a terminal, nothing elsewhere.
#[derive(Debug)]
pub(super) struct InputProgress(ProgressBar);

impl InputProgress {
    /// `bytes` is the size of the input, if it is known.
    pub(super) fn new(bytes: Option<u64>) -> Self {
        let (bar, template) = match bytes {
            Some(bytes) => (ProgressBar::new(bytes), "{bar:30} {percent}%  {msg}  {elapsed}, {eta} left"),
            None => (ProgressBar::new_spinner(), "{spinner} {msg}  {elapsed}"),
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the templates are well-formed"));
        bar.enable_steady_tick(TICK);
        Self(bar)
    }

    pub(super) fn advance(&self, bytes: u64, accepted: u64) {
        self.0.inc(bytes);
        self.0.set_message(format!("{accepted} jobs"));
    }
}

impl Drop for InputProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
