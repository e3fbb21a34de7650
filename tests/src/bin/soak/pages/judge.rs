//! How the jobs ended, by their records and by what the handlers noted.

use super::page_proxy::ProxyCounts;
use crate::failed::Failed;
use queue::{Queue, State};
use std::{collections::HashMap, fmt, fs, path::Path};

/// The most records of one page.
const PAGE: usize = 1000;

#[derive(Debug)]
pub(super) struct Verdict {
    jobs: usize,
    completed: usize,
    failed: usize,
    lost: usize,
    /// Runs beyond the first of each job.
    again: usize,
    /// Lapsed leases that the records tell of.
    lapses: usize,
    proxy: ProxyCounts,
}

impl Verdict {
    /// `runs` has the id of a job for each start of its handler.
    pub(super) async fn of(
        queue: &Queue<u64>,
        jobs: usize,
        runs: &Path,
        proxy: ProxyCounts,
    ) -> Result<Self, Failed> {
        let text = fs::read_to_string(runs)?;
        let mut runs: HashMap<&str, usize> = HashMap::new();
        for id in text.lines() {
            *runs.entry(id).or_default() += 1;
        }
        let (mut completed, mut failed, mut known, mut lapses) = (0, 0, 0, 0);
        let mut after = None;
        loop {
            let page = queue.jobs().limit(PAGE).after(after).page().await?;
            known += page.jobs.len();
            completed += page.jobs.iter().filter(|job| job.state == State::Completed).count();
            failed += page.jobs.iter().filter(|job| job.failures > 0).count();
            lapses += page.jobs.iter().map(|job| job.stalls as usize).sum::<usize>();
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        let never = jobs.saturating_sub(runs.len());
        let again = runs.values().map(|count| count - 1).sum();
        Ok(Self { jobs, completed, failed, lost: jobs - known + never, again, lapses, proxy })
    }

    /// There were pages, and no job failed, was lost, or ran again without a lapse in its record.
    pub(super) const fn is_right(&self) -> bool {
        let has_met = self.proxy.before > 0 && self.proxy.after > 0;
        has_met
            && self.completed == self.jobs
            && self.failed == 0
            && self.lost == 0
            && self.again <= self.lapses
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { jobs, completed, failed, lost, again, lapses, proxy } = self;
        write!(f, "{completed} of {jobs} completed, {failed} failed, {lost} lost, {again} run again, ")?;
        let ProxyCounts { calls, before, after } = proxy;
        write!(f, "{lapses} lapses told; {calls} calls, {before} pages before and {after} after the service")
    }
}
