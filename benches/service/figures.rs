//! Figures of one measurement, and the row of a table that they make.

use crate::store::ServedStore;
use hdrhistogram::Histogram;
use std::{
    fmt, fs,
    time::{Duration, Instant},
};

/// The kernel counts processor time in these.
const TICK: Duration = Duration::from_millis(10);

/// Longer rounds count as this.
const LONGEST_US: u64 = 60_000_000;

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// What a caller saw.
pub(crate) struct Seen {
    pub(crate) jobs: u64,
    pub(crate) requests: u64,
    /// Of rounds, in microseconds.
    pub(crate) rounds: Histogram<u64>,
}

impl Seen {
    pub(crate) fn new() -> Self {
        let rounds = Histogram::new_with_bounds(1, LONGEST_US, 3).expect("the bounds are in order");
        Self { jobs: 0, requests: 0, rounds }
    }

    pub(crate) fn note(&mut self, took: Duration) {
        self.rounds.saturating_record(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.requests += other.requests;
        self.rounds.add(&other.rounds).expect("all are made alike");
    }

    pub(crate) fn figures(&self, lasted: Duration, cpu: Duration) -> Figures {
        Figures {
            jobs_per_s: float(self.jobs) / lasted.as_secs_f64(),
            p50_us: self.rounds.value_at_quantile(0.5),
            p99_us: self.rounds.value_at_quantile(0.99),
            cpu_us_per_request: cpu.as_secs_f64() * 1e6 / float(self.requests.max(1)),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) jobs_per_s: f64,
    pub(crate) p50_us: u64,
    pub(crate) p99_us: u64,
    pub(crate) cpu_us_per_request: f64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { jobs_per_s, p50_us, p99_us, cpu_us_per_request } = self;
        let millis = |micros: &u64| float(*micros) / 1000.0;
        write!(
            f,
            "{jobs_per_s:.0} | {:.2} ms | {:.2} ms | {cpu_us_per_request:.0} us",
            millis(p50_us),
            millis(p99_us)
        )
    }
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) store: ServedStore,
    pub(crate) what: String,
    pub(crate) inside: Figures,
    pub(crate) outside: Figures,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { store, what, inside, outside } = self;
        write!(f, "| {store} | {what} | {inside} | {outside} |")
    }
}

/// A number for people.
#[expect(clippy::cast_precision_loss, reason = "people read no more than 53 bits")]
pub(crate) const fn float(number: u64) -> f64 {
    number as f64
}

/// Processor time of a process; `self` for this one.
pub(crate) fn cpu_of(process: &str) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().skip(11).take(2);
    TICK * ticks.filter_map(|field| field.parse::<u32>().ok()).sum()
}

/// Memory that a process holds, in bytes.
pub(crate) fn resident_of(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() * 1024
}
