//! The progress of the demo on standard error: a bar on a terminal, and plain lines elsewhere.

use crate::output::{self, Format};
use indicatif::{ProgressBar, ProgressStyle};
use std::{sync::Mutex, time::Duration};
use tokio::time::Instant;

/// How often a plain line is printed where there is no terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(1);

/// How far the demo is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) total: u64,
    pub(super) done: u64,
    pub(super) running: u64,
    /// Attempts that failed and were, or will be, followed by another.
    pub(super) retried: u64,
    /// Jobs of the killed worker that another has taken over.
    pub(super) recovered: u64,
}

/// Shows progress on standard error: a live bar on a terminal, a line now and then elsewhere,
/// nothing for programs.
#[derive(Debug)]
pub(super) struct Display {
    begun: Instant,
    how: How,
}

#[derive(Debug)]
enum How {
    Bar(ProgressBar),
    Lines { last: Mutex<Instant> },
    Silent,
}

impl Display {
    pub(super) fn new(total: u64, format: Format) -> Self {
        let how = match format {
            Format::Json => How::Silent,
            Format::Human if output::is_watched() => How::Bar(bar(total)),
            Format::Human => How::Lines { last: Mutex::new(Instant::now()) },
        };
        Self { begun: Instant::now(), how }
    }

    /// A line that stays.
    pub(super) fn say(&self, text: &str) {
        match &self.how {
            How::Bar(bar) if !bar.is_finished() => bar.suspend(|| output::note(text)),
            How::Bar(_) | How::Lines { .. } => output::note(text),
            How::Silent => {}
        }
    }

    /// The present state of things.
    pub(super) fn show(&self, progress: Progress) {
        match &self.how {
            How::Bar(bar) => {
                bar.set_position(progress.done);
                bar.set_message(self.rest(progress));
            }
            How::Lines { last } => self.print_now_and_then(progress, last),
            How::Silent => {}
        }
    }

    /// The last state of things, which stays.
    pub(super) fn finish(&self, progress: Progress) {
        match &self.how {
            How::Bar(bar) => {
                self.show(progress);
                bar.abandon();
            }
            How::Lines { .. } => self.print(progress),
            How::Silent => {}
        }
    }

    fn print_now_and_then(&self, progress: Progress, last: &Mutex<Instant>) {
        let mut last = last.lock().expect("nothing panics while it is held");
        if last.elapsed() >= PLAIN_EVERY {
            *last = Instant::now();
            self.print(progress);
        }
    }

    fn print(&self, progress: Progress) {
        let Progress { done, total, .. } = progress;
        output::note(format!("done {done:>6} of {total}  {}", self.rest(progress)));
    }

    fn rest(&self, progress: Progress) -> String {
        let Progress { done, running, retried, recovered, .. } = progress;
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = done as f64 / self.begun.elapsed().as_secs_f64();
        format!("running {running:<3} retried {retried:<3} recovered {recovered:<3} {rate:.0} jobs/s")
    }
}

fn bar(total: u64) -> ProgressBar {
    let template = "{bar:30} done {pos} of {len}  {msg}";
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    ProgressBar::new(total).with_style(style)
}
