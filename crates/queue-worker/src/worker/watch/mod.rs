//! What the program and its operators see of a worker.
//!
//! In come events from all parts of a run. Out they go to the program's observer and to event
//! streams, and counted into the [`WorkerReport`] of the run. The presence announcer shows the
//! worker in the store, and learns whether it was asked to pause or drain. The series recorder
//! counts outcomes and times by the minute, and the series writer writes them to the store.

mod event_observer;
mod event_reporter;
mod event_words;
mod host_name;
mod job_end;
mod presence_announcer;
mod series_recorder;
#[cfg(test)]
mod series_recorder_tests;
mod series_writer;
mod worker_event;
mod worker_events;
mod worker_report;

pub use host_name::host_name;
pub use job_end::JobEnd;
pub use worker_event::{HookStage, WorkerEvent};
pub use worker_events::WorkerEvents;
pub use worker_report::WorkerReport;

pub(super) use event_observer::EventObserver;
pub(super) use event_reporter::{EventReporter, ReportCounter};
pub(super) use presence_announcer::announce_presence;
pub(super) use series_recorder::{CountedEnd, SeriesRecorder};
pub(super) use series_writer::write_series;
