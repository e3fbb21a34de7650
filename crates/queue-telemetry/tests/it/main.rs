//! What is measured, as Prometheus sees it.

mod attempts;
mod calls;
mod exporter;
mod gauges;
mod labels;
mod support;
