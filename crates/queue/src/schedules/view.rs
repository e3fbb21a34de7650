//! A schedule as a document.

use super::{Missed, Overlap, ScheduleStatus, Tick, Timing};
use queue_core::Span;
use queue_view::{ScheduleView, ScheduledJobView};

/// How many of the next ticks a document names.
const NEXT: usize = 5;

impl ScheduleStatus {
    /// `on`, `paused` or `failed`.
    pub fn state_word(&self) -> &'static str {
        match (self.is_failed(), self.is_paused()) {
            (true, _) => "failed",
            (false, true) => "paused",
            (false, false) => "on",
        }
    }

    /// The schedule without its job, as listings have it.
    pub fn view(&self) -> ScheduleView {
        let spec = self.spec();
        let (missed, grace_ms, catch_up) = missed(spec.missed);
        let shown = ScheduleView {
            schedule: self.name().to_owned(),
            fires: spec.timing.to_string(),
            cron: None,
            zone: None,
            every_ms: None,
            at: None,
            state: self.state_word(),
            kind: spec.job.kind().to_owned(),
            missed,
            grace_ms,
            catch_up,
            overlap: overlap(spec.overlap),
            jitter_ms: spec.jitter.as_millis(),
            spread_ms: spec.spread.as_millis(),
            declared: spec.declared,
            next: self.next(NEXT).iter().map(Tick::to_string).collect(),
            last_run: self.last_run().map(|tick| tick.to_string()),
            error: self.meta().last_error.as_ref().filter(|_| self.is_failed()).map(ToString::to_string),
            job: None,
        };
        firing(shown, &spec.timing)
    }

    /// The schedule with its job; payload and headers of the job only for those who may see them.
    pub fn whole_view(&self, with_payload: bool) -> ScheduleView {
        let job = ScheduledJobView::of(self.spec().job.as_job(), with_payload);
        ScheduleView { job: Some(job), ..self.view() }
    }
}

fn firing(shown: ScheduleView, timing: &Timing) -> ScheduleView {
    match timing {
        Timing::Cron { pattern, zone } => ScheduleView {
            cron: Some(pattern.as_str().to_owned()),
            zone: Some(zone.name().to_owned()),
            ..shown
        },
        Timing::Every { period, .. } => ScheduleView { every_ms: Some(period.as_millis()), ..shown },
        Timing::At(moments) => {
            let at = moments.as_slice().iter().map(|moment| Tick::from(*moment).to_string());
            ScheduleView { at: Some(at.collect()), ..shown }
        }
        _ => shown,
    }
}

fn missed(missed: Missed) -> (&'static str, Option<i64>, Option<usize>) {
    match missed {
        Missed::Skip { grace } => ("skip", grace.map(Span::as_millis), None),
        Missed::Latest => ("latest", None, None),
        Missed::All { max } => ("all", None, Some(max)),
        _ => ("unknown", None, None),
    }
}

fn overlap(overlap: Overlap) -> &'static str {
    match overlap {
        Overlap::Allow => "allow",
        Overlap::Skip => "skip",
        Overlap::CancelPrevious => "cancel",
        _ => "unknown",
    }
}
