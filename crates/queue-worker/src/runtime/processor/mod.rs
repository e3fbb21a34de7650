//! From a source through a handler to a sink.

mod builder;
mod event;
mod handling;
mod marking;
mod tick;
mod tick_report;
mod tick_tally;

pub use builder::ProcessorBuilder;
pub use event::{FailureCause, ProcessorEvent};
pub use tick::Processor;
pub use tick_report::TickReport;
