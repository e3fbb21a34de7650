//! What is wrong with a store, and what to do about it: findings with stable codes, from the store
//! itself and from what any store shows.
//!
//! A look reads a bounded amount, for any number of jobs and queues, and writes nothing but one job
//! of the reserved queue [`PROBE_QUEUE`], which it removes again. `docs/tasks/doctor.md` lists
//! every code with its threshold.

mod ahead;
mod checks;
mod facts;
mod own_jobs;
mod probe;
mod queue_checks;
mod restored;
mod words;

pub use probe::PROBE_QUEUE;
pub use queue_core::{Finding, Severity};

use crate::open::diagnose_disk;
use facts::StoreFacts;
use queue_core::{Clock, QueueName, Storage, SystemClock};
use std::sync::Arc;
use tokio::time::Instant;

/// A look at the health of a store. Make one, say what else to look at, and call
/// [`examine`](Self::examine).
///
#[cfg_attr(feature = "memory", doc = "```")]
#[cfg_attr(not(feature = "memory"), doc = "```ignore")]
/// use queue::{doctor::{Doctor, Severity}, open};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let diagnosis = Doctor::new(open("memory:").await?).examine().await;
/// for finding in &diagnosis.findings {
///     println!("{} {}: {}", finding.severity, finding.code, finding.seen);
/// }
/// assert_eq!(diagnosis.severity(), Severity::Fine);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Doctor {
    storage: Arc<dyn Storage>,
    producer: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    queues: Vec<QueueName>,
    is_restored: bool,
    is_probing: bool,
}

/// What was found, the worst first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// One finding for each check, by severity and then by code.
    pub findings: Vec<Finding>,
}

impl Doctor {
    /// A doctor for the store of this handle.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self {
            producer: storage.clone(),
            storage,
            clock: Arc::new(SystemClock),
            queues: Vec::new(),
            is_restored: false,
            is_probing: true,
        }
    }

    /// Enqueues the job of the probe by another handle on the same store, so that its hint takes
    /// the way of hints of other processes. Default: the same handle, whose hints may take a
    /// shorter way.
    #[must_use]
    pub fn producer(mut self, other: Arc<dyn Storage>) -> Self {
        self.producer = other;
        self
    }

    /// Looks at this queue in any case, also if it stands behind more queues than are looked at.
    #[must_use]
    pub fn queue(mut self, name: QueueName) -> Self {
        self.queues.push(name);
        self
    }

    /// Says what a store that was just restored from a backup means for its jobs and for resources
    /// that are fenced by `(seq, epoch)`. Default: no.
    #[must_use]
    pub fn restored(mut self) -> Self {
        self.is_restored = true;
        self
    }

    /// Leaves out the probe of hints, which is all that writes. Default: it is made.
    #[must_use]
    pub fn without_probe(mut self) -> Self {
        self.is_probing = false;
        self
    }

    /// The clock of this host, with which that of the store is compared. Default: the system's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Looks. An error of the store is a finding, so this always answers, after the store's own
    /// time limits at the latest.
    ///
    /// Dropping the future may leave the job of the probe in its queue; the next look removes it.
    pub async fn examine(&self) -> Diagnosis {
        let begun = Instant::now();
        let facts = match StoreFacts::read(&*self.storage, &*self.clock, &self.queues).await {
            Ok(facts) => facts,
            Err(error) => return Diagnosis::of(vec![checks::silent(&error)]),
        };
        let mut findings = vec![checks::answers(begun.elapsed(), &facts)];
        match self.storage.diagnose().await {
            Ok(found) => findings.extend(found),
            Err(error) => findings.push(Finding::broken(
                "store-diagnosis",
                format!("the store could not look at itself: {error}"),
                "see what the error says; the other findings stand",
            )),
        }
        findings.extend(checks::all(&facts));
        findings.extend(queue_checks::all(&facts));
        findings.extend(own_jobs::all(&facts));
        findings.extend(ahead::all(&facts));
        if self.is_probing {
            findings.push(probe::hints(&*self.storage, &*self.producer).await);
        }
        if self.is_restored {
            findings.extend(restored::all(&facts));
        }
        Diagnosis::of(findings)
    }
}

impl Diagnosis {
    /// What can be said of a store that does not open: the error, and the disk if it keeps files.
    /// `message` is that of the error.
    pub fn unopened(message: impl Into<String>, url: &str) -> Self {
        let mut findings = diagnose_disk(url);
        findings.push(Finding::broken(
            "store-opens",
            message,
            "mend what it says, and look again; for the files of a store in a directory there is `queue fsck`",
        ));
        Self::of(findings)
    }

    fn of(mut findings: Vec<Finding>) -> Self {
        findings
            .sort_by(|one, other| other.severity.cmp(&one.severity).then_with(|| one.code.cmp(&other.code)));
        Self { findings }
    }

    /// That of the worst finding; `Fine` without any.
    pub fn severity(&self) -> Severity {
        self.findings.iter().map(|finding| finding.severity).max().unwrap_or(Severity::Fine)
    }

    /// The finding of a check.
    pub fn finding(&self, code: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.code == code)
    }
}
