//! What to make of a store as a whole: pure functions, each with its thresholds.

use super::facts::{QUEUES_LOOKED_AT_MAX, QUEUES_MAX, StoreFacts};
use queue_core::{Error, Finding, Severity};
use queue_view::words::age;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// All reads of a doctor together take milliseconds on a store that is well; a worker whose calls
/// take this long delays its heartbeats.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Delays, leases and retention are off by as much; clocks that are kept in step differ by
/// milliseconds.
const CLOCK_MAX: Duration = Duration::from_secs(1);

pub(super) fn all(facts: &StoreFacts) -> Vec<Finding> {
    vec![clock(facts), lead(facts), versions(facts), bounds(facts)]
}

/// The finding where the store does not answer at all.
pub(super) fn silent(error: &Error) -> Finding {
    Finding::broken(
        "store-answers",
        format!("the store does not answer: {error}"),
        "see what the error says: the address, the rights, the server; nothing else could be looked at",
    )
}

pub(super) fn answers(took: Duration, facts: &StoreFacts) -> Finding {
    let severity = if took > ANSWER_MAX { Severity::Warning } else { Severity::Fine };
    Finding::new(
        "store-answers",
        severity,
        format!("all reads of {} queues were answered in {}", facts.queues.len(), age(took)),
        "look at the load of the server, of the disk and of the network; the findings of the store itself say more",
    )
}

fn clock(facts: &StoreFacts) -> Finding {
    let ([before, after], clock) = (facts.host, facts.time.clock);
    // The store read its clock somewhere between the two.
    let (ahead, behind) = (clock.since(after), before.since(clock));
    let (off, word) = if ahead > behind { (ahead, "ahead of") } else { (behind, "behind") };
    let severity = if off > CLOCK_MAX { Severity::Warning } else { Severity::Fine };
    Finding::new(
        "store-clock",
        severity,
        format!("the clock of the store is {} {word} that of this host", age(off)),
        "set the wrong one, and keep both in step (NTP): times on this host and in the store differ by this much",
    )
}

fn lead(facts: &StoreFacts) -> Finding {
    let lead = facts.time.lead();
    let severity = if lead > CLOCK_MAX { Severity::Warning } else { Severity::Fine };
    Finding::new(
        "store-time-lead",
        severity,
        format!("store time is {} ahead of the clock of the store", age(lead)),
        "see that no clock is ahead again. Until this is gone, delays and leases go on at 63/64 of real time. Jobs that were \
         delayed by less than this when a clock was ahead were due at once, and results that were kept for less are gone: \
         `jobs-early`, `results-early` and `schedules-ahead` name what is left",
    )
}

fn versions(facts: &StoreFacts) -> Finding {
    const CODE: &str = "worker-versions";
    let Some(workers) = &facts.workers else {
        return Finding::unknown(
            CODE,
            "workers of this store do not announce themselves",
            "ask each of them",
        );
    };
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for about in workers.iter().filter_map(|worker| worker.about.as_ref()) {
        *versions.entry(&about.version).or_default() += 1;
    }
    let words: Vec<String> =
        versions.iter().map(|(version, count)| format!("{count} of version {version}")).collect();
    if words.is_empty() {
        return Finding::fine(CODE, "no worker is present that tells its version");
    }
    if words.len() == 1 {
        return Finding::fine(CODE, format!("workers: {}", words.join(", ")));
    }
    Finding::warning(
        CODE,
        format!("workers: {}", words.join(", ")),
        "finish the upgrade: a kind or a payload that only one version knows fails on the other",
    )
}

/// Whether everything was looked at.
fn bounds(facts: &StoreFacts) -> Finding {
    const CODE: &str = "doctor-bounds";
    if facts.has_more || facts.left_out > 0 {
        let more =
            if facts.has_more { format!(", and there are more than {QUEUES_MAX}") } else { String::new() };
        return Finding::unknown(
            CODE,
            format!(
                "the {QUEUES_LOOKED_AT_MAX} fullest queues were looked at, {} were not{more}",
                facts.left_out
            ),
            "look at the others with `queue queues` and `queue stats`",
        );
    }
    let names: BTreeSet<_> = facts.queues.iter().map(|queue| &queue.name).collect();
    Finding::fine(CODE, format!("all {} queues were looked at", names.len()))
}
