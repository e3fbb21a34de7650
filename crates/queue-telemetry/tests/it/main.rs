//! The measurements, as Prometheus sees them.

mod attempts;
mod calls;
mod exporter;
mod gauges;
mod labels;
mod support;
