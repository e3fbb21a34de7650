//! Instruments that are bound to labels they were recorded with before.
//!
//! An SDK finds the labels of each record by comparing their content with all labels it has seen,
//! and that lookup is most of the cost of a record. With the feature `bound-instruments` it happens
//! once for each cell; without the feature, cells are empty.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Histogram},
};
#[cfg(feature = "bound-instruments")]
use {
    opentelemetry::metrics::{BoundCounter, BoundHistogram},
    std::sync::OnceLock,
};

/// One counter for one set of labels.
#[derive(Debug, Default)]
pub(crate) struct CounterCell {
    #[cfg(feature = "bound-instruments")]
    bound: OnceLock<BoundCounter<u64>>,
}

/// One histogram for one set of labels.
#[derive(Debug, Default)]
pub(crate) struct HistogramCell {
    #[cfg(feature = "bound-instruments")]
    bound: OnceLock<BoundHistogram<f64>>,
}

#[cfg_attr(not(feature = "bound-instruments"), expect(clippy::unused_self, reason = "the cell is empty"))]
impl CounterCell {
    pub(crate) fn add(&self, counter: &Counter<u64>, count: u64, labels: &[KeyValue]) {
        #[cfg(feature = "bound-instruments")]
        self.bound.get_or_init(|| counter.bind(labels)).add(count);
        #[cfg(not(feature = "bound-instruments"))]
        counter.add(count, labels);
    }
}

#[cfg_attr(not(feature = "bound-instruments"), expect(clippy::unused_self, reason = "the cell is empty"))]
impl HistogramCell {
    pub(crate) fn record(&self, histogram: &Histogram<f64>, value: f64, labels: &[KeyValue]) {
        #[cfg(feature = "bound-instruments")]
        self.bound.get_or_init(|| histogram.bind(labels)).record(value);
        #[cfg(not(feature = "bound-instruments"))]
        histogram.record(value, labels);
    }
}
