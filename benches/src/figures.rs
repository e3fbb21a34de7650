//! The figures that a measurement gives: rates, latencies, processor time, bytes and memory.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What one measurement came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Figures {
    /// So many jobs took so long.
    Rate { jobs: usize, seconds: f64, per_second: f64 },
    /// How long single things took.
    Latency(Latency),
    /// Processor time of single things.
    Processor { jobs: usize, cpu_us_per_job: f64 },
    /// How much room something takes.
    Bytes { jobs: usize, bytes_per_job: f64 },
    /// Memory in use, looked at in equal steps of a long run.
    Memory { jobs: usize, seconds: f64, resident_bytes: Vec<u64> },
}

/// A figure, and which of several of one measurement it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub(crate) part: Option<String>,
    pub(crate) figures: Figures,
}

/// Percentiles in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Latency {
    pub(crate) count: u64,
    pub(crate) p50_us: u64,
    pub(crate) p90_us: u64,
    pub(crate) p99_us: u64,
    pub(crate) max_us: u64,
    /// How many ended in a second.
    pub(crate) per_second: f64,
}

/// Collects latencies: microseconds with three digits.
#[derive(Debug)]
pub(crate) struct Latencies(Histogram<u64>);

impl Latencies {
    pub(crate) fn new() -> Self {
        Self(Histogram::new(3).expect("three digits are allowed"))
    }

    pub(crate) fn note(&mut self, took: Duration) {
        self.0 += u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    }

    pub(crate) fn add(&mut self, others: &Self) {
        self.0 += &others.0;
    }

    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
    pub(crate) fn figures(&self, elapsed: Duration) -> Figures {
        let at = |percentile| self.0.value_at_percentile(percentile);
        Figures::Latency(Latency {
            count: self.0.len(),
            p50_us: at(50.0),
            p90_us: at(90.0),
            p99_us: at(99.0),
            max_us: self.0.max(),
            per_second: self.0.len() as f64 / elapsed.as_secs_f64(),
        })
    }
}

impl Figures {
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
    pub(crate) fn rate(jobs: usize, elapsed: Duration) -> Self {
        let seconds = elapsed.as_secs_f64();
        Self::Rate { jobs, seconds, per_second: jobs as f64 / seconds }
    }

    #[expect(clippy::cast_precision_loss, reason = "a time needs no more than 53 bits")]
    pub(crate) fn processor(jobs: usize, took: Duration) -> Self {
        Self::Processor { jobs, cpu_us_per_job: took.as_secs_f64() * 1e6 / jobs as f64 }
    }

    #[expect(clippy::cast_precision_loss, reason = "a size needs no more than 53 bits")]
    pub(crate) fn bytes(bytes: u64, jobs: usize) -> Self {
        Self::Bytes { jobs, bytes_per_job: bytes as f64 / jobs as f64 }
    }

    pub(crate) fn memory(jobs: usize, elapsed: Duration, resident_bytes: Vec<u64>) -> Self {
        Self::Memory { jobs, seconds: elapsed.as_secs_f64(), resident_bytes }
    }
}

impl Reading {
    pub(crate) fn part(part: &str, figures: Figures) -> Self {
        Self { part: Some(part.to_owned()), figures }
    }
}

/// The only figure of its measurement.
impl From<Figures> for Reading {
    fn from(figures: Figures) -> Self {
        Self { part: None, figures }
    }
}
