//! What may go wrong with a directory: looked at without reading the journal.

use crate::{
    FsUsage,
    error::FsFault,
    format::VERSION,
    fsck::ASIDE,
    options::{Flush, FsOptions},
    wakeup::can_watch,
    writer::{
        commit::{FsCommitter, TransactionKind},
        session::JournalSession,
    },
};
use queue_core::{Finding, Severity};
use queue_store::{disk, group_commit::Verb};
use std::{fs, io, path::Path};

/// Metadata of a job in memory, as the documentation of the crate counts them.
const JOB_BYTES: u64 = 512;
/// Compaction keeps the journal at three times its live bytes at most, and leaves a few segments of
/// 4 MiB.
const JOURNAL_FACTOR_MAX: u64 = 3;
const JOURNAL_SLACK_BYTES: u64 = 32 << 20;
/// A handle that needs more than this part of the memory that is free leaves too little for
/// another one: each process that opens the store needs as much again.
const MEMORY_PARTS: u64 = 4;
/// Names that are looked at in the directory. The store itself has one for every 4 MiB.
const NAMES_MAX: usize = 100_000;

/// Looks at the health of the store; one finding for each check.
#[derive(Debug)]
pub(crate) struct FsDiagnose(pub(crate) FsOptions);

impl Verb<FsCommitter> for FsDiagnose {
    type Answer = Vec<Finding>;

    const NAME: &'static str = "diagnose";
    const NEED: TransactionKind = TransactionKind::Read;

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let usage = session.state.usage();
        let mut findings = vec![
            Finding::fine(
                "store-layout",
                format!("the journal has layout {VERSION}, which this program writes"),
            ),
            durability(self.0.flush),
            journal_size(&usage),
            journal_damage(session.has_found_damage()),
            memory(&usage, available_memory()),
        ];
        // A simulated directory has no path.
        if self.0.fs.is_none() {
            let path = &self.0.path;
            let put_aside = damaged_files(path);
            findings.push(damaged(put_aside));
            findings.extend(self.0.diagnose_disk());
            findings.push(disk::watches(can_watch(path)));
        }
        Ok(findings)
    }
}

fn durability(flush: Flush) -> Finding {
    const ADVICE: &str = "a power cut loses the newest jobs; use `Flush::Always`, or accept it";
    match flush {
        Flush::Always => Finding::fine("durability", "each write is flushed before it is answered"),
        Flush::Every(interval) => {
            let words = format!("writes are flushed up to {} ms after their answers", interval.as_millis());
            Finding::warning("durability", words, ADVICE)
        }
        Flush::Never => {
            Finding::warning("durability", "writes are not flushed before the store closes", ADVICE)
        }
    }
}

fn journal_size(usage: &FsUsage) -> Finding {
    let allowed = usage.live_bytes.saturating_mul(JOURNAL_FACTOR_MAX).saturating_add(JOURNAL_SLACK_BYTES);
    let severity = if usage.journal_bytes > allowed { Severity::Warning } else { Severity::Fine };
    let seen = format!(
        "the journal has {} in {} files, of which {} are live; {} jobs",
        disk::bytes(usage.journal_bytes),
        usage.journal_files,
        disk::bytes(usage.live_bytes),
        usage.jobs
    );
    Finding::new(
        "journal-size",
        severity,
        seen,
        "compaction does not keep up: it stops at a damaged segment, and works only while somebody writes; run `queue fsck`",
    )
}

fn journal_damage(is_found: bool) -> Finding {
    if is_found {
        return Finding::broken(
            "journal-damage",
            "a segment could not be read when it was to be compacted",
            "stop all programs, and run `queue fsck DIRECTORY`, then with --repair; look at the disk",
        );
    }
    Finding::fine("journal-damage", "every record was readable when this handle read the journal")
}

fn damaged(put_aside: io::Result<usize>) -> Finding {
    match put_aside {
        Ok(0) => Finding::fine("files-put-aside", "no repair left a damaged file"),
        Ok(count) => Finding::warning(
            "files-put-aside",
            format!("{count} damaged files were put aside by a repair and take up room"),
            "see what was lost, then remove the files that begin with `damaged-`; look at the disk",
        ),
        Err(error) => Finding::unknown(
            "files-put-aside",
            format!("the directory cannot be listed: {error}"),
            "check the rights on it",
        ),
    }
}

fn memory(usage: &FsUsage, available: Option<u64>) -> Finding {
    let needed = usage.jobs.saturating_mul(JOB_BYTES).saturating_add(usage.resident_bytes);
    let seen = format!("each process that opens the store keeps about {} in memory", disk::bytes(needed));
    let Some(available) = available else { return Finding::fine("files-memory", seen) };
    let severity = if needed > available / MEMORY_PARTS { Severity::Warning } else { Severity::Fine };
    Finding::new(
        "files-memory",
        severity,
        format!("{seen}; {} are available on this host", disk::bytes(available)),
        "prune finished jobs, open the store in fewer processes, or move to a store whose jobs are not kept in memory (SQLite, Postgres)",
    )
}

fn damaged_files(path: &Path) -> io::Result<usize> {
    let names = fs::read_dir(path)?.take(NAMES_MAX).filter_map(Result::ok);
    Ok(names.filter(|entry| entry.file_name().to_string_lossy().starts_with(ASIDE)).count())
}

/// What Linux says that programs may still take; other systems do not tell.
fn available_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(journal_mib: u64, live_mib: u64, jobs: u64) -> FsUsage {
        FsUsage { jobs, journal_bytes: journal_mib << 20, live_bytes: live_mib << 20, ..FsUsage::default() }
    }

    #[test]
    fn a_journal_that_is_not_compacted_is_a_warning() {
        assert_eq!(journal_size(&usage(32, 0, 0)).severity, Severity::Fine);
        assert_eq!(journal_size(&usage(62, 10, 0)).severity, Severity::Fine);
        assert_eq!(journal_size(&usage(63, 10, 0)).severity, Severity::Warning);
    }

    #[test]
    fn more_jobs_than_memory_has_room_for_are_a_warning() {
        let a_million = usage(500, 500, 1 << 20);
        assert_eq!(memory(&a_million, Some(4 << 30)).severity, Severity::Fine);
        assert_eq!(memory(&a_million, Some(1 << 30)).severity, Severity::Warning);
        assert_eq!(memory(&a_million, None).severity, Severity::Fine);
    }
}
