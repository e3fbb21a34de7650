//! The findings of all masters of a Cluster as one list.

use queue_core::{Finding, Result, Severity};

/// The most masters that a finding names in full; the rest are counted.
const TOLD_MAX: usize = 3;
const CODE: &str = "redis-cluster-masters";

/// What a look at one master found, or why there was none.
pub(super) struct MasterLook {
    /// `None` where there is only one server.
    pub(super) address: Option<String>,
    pub(super) findings: Result<Vec<Finding>>,
}

/// One finding for each check, which is that of the masters that are worst.
///
/// # Errors
/// That of the server, or of the first master if none answers.
pub(super) fn merged(looks: Vec<MasterLook>) -> Result<Vec<Finding>> {
    let count = looks.len();
    let (mut answered, mut silent) = (Vec::new(), Vec::new());
    for MasterLook { address, findings } in looks {
        match (address, findings) {
            (None, findings) => return findings,
            (Some(address), Ok(findings)) => answered.push((address, findings)),
            (Some(address), Err(error)) => silent.push((address, error)),
        }
    }
    let Some((_, first)) = answered.first() else {
        return silent.into_iter().next().map_or(Ok(Vec::new()), |(_, error)| Err(error));
    };
    let codes: Vec<_> = first.iter().map(|finding| finding.code.clone()).collect();
    let mut findings: Vec<Finding> = codes.iter().map(|code| of_check(code, &answered)).collect();
    findings.push(reachable(count, &silent));
    Ok(findings)
}

/// The finding of a check, with the masters on which it is worst.
fn of_check(code: &str, answered: &[(String, Vec<Finding>)]) -> Finding {
    let found = answered.iter().filter_map(|(address, findings)| {
        findings.iter().find(|finding| finding.code == code).map(|finding| (address, finding))
    });
    let found: Vec<(&String, &Finding)> = found.collect();
    let worst = found.iter().map(|(_, finding)| finding.severity).max().unwrap_or(Severity::Unknown);
    let sick: Vec<_> = found.iter().filter(|(_, finding)| finding.severity == worst).collect();
    let told = if worst == Severity::Fine { 1 } else { TOLD_MAX };
    let seen = sick.iter().take(told).map(|(address, finding)| format!("{address}: {}", finding.seen));
    let seen = seen.collect::<Vec<_>>().join("; ");
    let seen = format!("{} of {} masters; {seen}", sick.len(), answered.len());
    let (code, advice) = sick.first().map(|(_, finding)| (finding.code.clone(), &*finding.advice)).unzip();
    Finding::new(code.unwrap_or_default(), worst, seen, advice.unwrap_or_default())
}

fn reachable(count: usize, silent: &[(String, queue_core::Error)]) -> Finding {
    let seen = format!("{} of {count} masters answer", count - silent.len());
    if silent.is_empty() {
        return Finding::fine(CODE, seen);
    }
    let reasons =
        silent.iter().take(TOLD_MAX).map(|(address, error)| format!("{address}: {}", error.message()));
    Finding::broken(
        CODE,
        format!("{seen}; {}", reasons.collect::<Vec<_>>().join("; ")),
        "bring it back, or let a replica take over: queues of its slots stand still; if it runs, look at the network \
         between it and this host",
    )
}
