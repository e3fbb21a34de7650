use crate::{scenario::Scenario, store::StoreKind};
use serde::Serialize;
use std::time::Duration;

/// One scenario on one store, once.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measurement {
    pub(crate) store: StoreKind,
    pub(crate) scenario: Scenario,
    pub(crate) round: usize,
    pub(crate) jobs: usize,
    pub(crate) seconds: f64,
    pub(crate) jobs_per_second: f64,
}

impl Measurement {
    #[expect(clippy::cast_precision_loss, reason = "a rate needs no more than 53 bits")]
    pub(crate) fn new(
        scenario: Scenario,
        store: StoreKind,
        round: usize,
        jobs: usize,
        elapsed: Duration,
    ) -> Self {
        let seconds = elapsed.as_secs_f64();
        Self { store, scenario, round, jobs, seconds, jobs_per_second: jobs as f64 / seconds }
    }
}
