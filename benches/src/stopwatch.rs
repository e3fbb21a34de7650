//! What a piece of work takes: time by the clock, and processor time on both sides of a store.

use crate::{
    bed::Bed,
    clock::now,
    engine,
    figures::{Figures, Reading},
    processor,
};
use std::time::{Duration, Instant};

/// Measures work on one store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    /// The process of its server.
    server: Option<u32>,
}

/// A measurement that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunningStopwatch {
    watch: Stopwatch,
    began: Instant,
    client: Duration,
    server: Option<Duration>,
}

/// What some work took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Took {
    pub(crate) elapsed: Duration,
    /// Processor time of this process, in which producers, workers and embedded stores are.
    pub(crate) client: Duration,
    /// Processor time of the server and of its children.
    pub(crate) server: Option<Duration>,
}

impl Stopwatch {
    pub(crate) async fn of(bed: &Bed) -> anyhow::Result<Self> {
        Ok(Self { server: engine::server_process(bed).await? })
    }

    /// Measures this process alone.
    pub(crate) fn without_server() -> Self {
        Self { server: None }
    }

    pub(crate) fn start(self) -> RunningStopwatch {
        let server = self.server.map(processor::time_with_children);
        RunningStopwatch { watch: self, client: processor::time(), server, began: now() }
    }
}

impl RunningStopwatch {
    pub(crate) fn stop(self) -> Took {
        let elapsed = self.began.elapsed();
        let client = processor::time().saturating_sub(self.client);
        let server = self.watch.server.map(processor::time_with_children);
        let server = server.zip(self.server).map(|(after, before)| after.saturating_sub(before));
        Took { elapsed, client, server }
    }
}

impl Took {
    /// The rate of so many jobs, and what each cost.
    pub(crate) fn readings(self, jobs: usize) -> Vec<Reading> {
        [Figures::rate(jobs, self.elapsed).into()].into_iter().chain(self.costs(jobs)).collect()
    }

    /// What each of so many jobs cost.
    pub(crate) fn costs(self, jobs: usize) -> impl Iterator<Item = Reading> {
        let sides = [("client", Some(self.client)), ("server", self.server)];
        sides
            .into_iter()
            .filter_map(move |(side, took)| Some(Reading::part(side, Figures::processor(jobs, took?))))
    }
}
