//! The printed result of the demo, as a table in words or as a JSON object.

use super::audit::{Again, Audit};
use crate::output::{self, Output, Text, plural};
use serde_json::{Value, json};
use std::io;

/// Most ids shown of what went wrong.
const IDS_MAX: usize = 5;

pub(super) fn print(audit: &Audit, out: Output) -> io::Result<()> {
    out.answer(|| words(audit), || object(audit))
}

fn words(audit: &Audit) -> Text {
    let victim = &audit.victim;
    let held = plural(victim.held.len() as u64, "job");
    let rows = [
        ("accepted", audit.accepted.to_string()),
        ("completed", audit.completed.to_string()),
        ("lost", faults(&audit.lost)),
        ("wrong", format!("{} (each result was computed again without the queue)", faults(&audit.wrong))),
        ("killed", format!("worker {}, holding {held}, {} in mid-work", victim.worker, victim.mid_work)),
        ("run twice", again(audit.again)),
        ("unexplained", faults(&audit.unexplained)),
        ("recovery", recovery(audit)),
        ("time", format!("{:.1} s, {:.0} jobs/s", audit.took.as_secs_f64(), rate(audit))),
    ];
    let verdict = if audit.is_proof() { "Nothing was lost." } else { "THE PROOF FAILED." };
    Text::from("").and(output::pairs(rows)).and_apart(verdict)
}

/// How many, and the first of them.
fn faults(ids: &[String]) -> String {
    let shown = ids.iter().take(IDS_MAX).cloned().collect::<Vec<_>>().join(", ");
    match ids.len() {
        0 => "0".to_owned(),
        count if count > IDS_MAX => format!("{count}: {shown}, ..."),
        count => format!("{count}: {shown}"),
    }
}

fn again(again: Again) -> String {
    let Again { killed, failed, lapsed } = again;
    let reasons = [
        (killed, "held by the killed worker"),
        (failed, "failed their first attempt on purpose"),
        (lapsed, "lost their lease to a slow machine"),
    ];
    let reasons: Vec<String> =
        reasons.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}")).collect();
    format!("{}: {}", killed + failed + lapsed, reasons.join(", "))
}

fn recovery(audit: &Audit) -> String {
    audit.recovery.map_or_else(
        || "never: a job of the killed worker did not start again".to_owned(),
        |took| {
            format!("{:.2} s from the kill until all jobs of the killed worker ran again", took.as_secs_f64())
        },
    )
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn rate(audit: &Audit) -> f64 {
    audit.completed as f64 / audit.took.as_secs_f64()
}

fn object(audit: &Audit) -> Value {
    json!({
        "accepted": audit.accepted,
        "completed": audit.completed,
        "lost": audit.lost,
        "wrong": audit.wrong,
        "unexplained": audit.unexplained,
        "killed_worker_held": audit.victim.held.len(),
        "killed_worker_mid_work": audit.victim.mid_work,
        "run_twice": {
            "killed": audit.again.killed,
            "failed": audit.again.failed,
            "lapsed": audit.again.lapsed,
        },
        "recovery_ms": audit.recovery.map(|took| took.as_millis() as u64),
        "took_ms": audit.took.as_millis() as u64,
        "is_proof": audit.is_proof(),
    })
}
