//! What the workers of the demonstration do: they take a while, and some of it fails.

use crate::exit::CliError;
use queue::{
    queue_core::Rng,
    worker::{Context, JobError, Router},
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// How long the jobs of a kind take, and how many of a thousand attempts fail.
const HABITS: [(&str, u64, u64); 9] = [
    ("charge", 320, 45),
    ("invoice", 900, 10),
    ("dunning", 250, 5),
    ("welcome", 90, 15),
    ("receipt", 70, 35),
    ("newsletter", 140, 20),
    ("thumbnail", 110, 12),
    ("transcode", 4_000, 120),
    ("deliver", 180, 200),
];

/// Handlers of these kinds.
pub(super) fn router<'a>(
    kinds: impl Iterator<Item = &'a str>,
    rng: &Arc<dyn Rng>,
) -> Result<Router, CliError> {
    let mut router = Router::new(());
    for kind in kinds {
        let kind = kind.to_owned();
        let rng = rng.clone();
        let handled = kind.clone();
        router = router.handle(&kind, move |payload: Value, context: Context| {
            let kind = handled.clone();
            let rng = rng.clone();
            async move { handle(&kind, &payload, &context, &*rng).await }
        })?;
    }
    Ok(router)
}

async fn handle(kind: &str, payload: &Value, context: &Context, rng: &dyn Rng) -> Result<Value, JobError> {
    let habit = HABITS.iter().find(|(name, ..)| *name == kind);
    let (_, usual_ms, failing) = habit.copied().unwrap_or(("", 100, 0));
    // Most take about as long as usual, and a few take much longer.
    let factor = [4, 6, 8, 9, 10, 10, 11, 13, 18, 60][(rng.next_u64() % 10) as usize];
    let took = Duration::from_millis(usual_ms * factor / 10);
    let steps = 4;
    for step in 1..=steps {
        tokio::time::sleep(took / steps).await;
        drop(context.report_progress(&json!({"step": step, "of": steps})));
    }
    let is_doomed = payload.get("doomed").is_some();
    if is_doomed || rng.next_u64() % 1_000 < failing {
        let MadeUpFailure { name, message, is_terminal } = failure(kind, rng.next_u64() % 10_000);
        let error = JobError::named(name, message);
        return Err(if is_terminal { error.as_terminal() } else { error });
    }
    let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    Ok(json!({"ok": true, "took_ms": took_ms}))
}

/// Why a job failed.
#[derive(Clone, Debug)]
pub(super) struct MadeUpFailure {
    pub(super) name: &'static str,
    pub(super) message: String,
    /// Another attempt does not help.
    pub(super) is_terminal: bool,
}

/// A failure as jobs of this kind have them.
pub(super) fn failure(kind: &str, number: u64) -> MadeUpFailure {
    let one_in = |many: u64| number.is_multiple_of(many);
    let (name, message, is_terminal) = match kind {
        "charge" if one_in(3) => {
            ("CardDeclined", format!("the card ending in {number:04} was declined"), true)
        }
        "charge" | "invoice" => {
            ("Timeout", format!("no answer of bank.example within {} ms", 5_000 + number), false)
        }
        "transcode" if one_in(2) => {
            ("Codec", format!("profile \"high{}\" is not supported", number % 7), true)
        }
        "transcode" | "thumbnail" => ("OutOfSpace", format!("disk scratch-{} is full", number % 4), false),
        "deliver" => ("Http", format!("503 Service Unavailable after {number} ms"), false),
        _ => ("Smtp", format!("421 try again later, connection {number}"), false),
    };
    MadeUpFailure { name, message, is_terminal }
}
