//! What one process reports to the driver, as one line of JSON.

use serde::Serialize;

/// One measurement. What was not measured is left out of the line.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) p50_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) p99_ms: Option<f64>,
    /// Jobs behind the rate, or samples behind the latencies.
    pub(crate) jobs: u64,
    pub(crate) seconds: f64,
    pub(crate) settings: String,
    /// What a reader of the figure should know.
    pub(crate) notes: Vec<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) not_offered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl Report {
    /// So many jobs in so many seconds.
    pub(crate) fn rate(jobs: u64, seconds: f64) -> Self {
        Self { rate: Some(jobs as f64 / seconds), jobs, seconds, ..Self::default() }
    }

    /// The middle and the slow end of latencies in milliseconds; no figure without a sample.
    pub(crate) fn latencies(mut samples: Vec<f64>, seconds: f64) -> Self {
        samples.sort_by(f64::total_cmp);
        let [p50_ms, p99_ms] = [0.50, 0.99].map(|part| quantile(&samples, part));
        Self { p50_ms, p99_ms, jobs: samples.len() as u64, seconds, ..Self::default() }
    }

    pub(crate) fn note(&mut self, words: impl Into<String>) {
        self.notes.push(words.into());
    }
}

/// The smallest sample that is not below this part of them.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let rank = (sorted.len() as f64 * part).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_samples() {
        let samples: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(quantile(&samples, 0.50), Some(100.0));
        assert_eq!(quantile(&samples, 0.99), Some(198.0));
        assert_eq!(quantile(&[7.0], 0.99), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
