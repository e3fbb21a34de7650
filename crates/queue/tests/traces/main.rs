//! Traces that go with jobs, as an exporter of OpenTelemetry's own SDK sees them.

mod attempts;
mod enqueues;
mod follow_ups;
mod schedules;
mod stores;
mod support;
