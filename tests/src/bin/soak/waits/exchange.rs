//! The questions and the right answers: a pure function of the number of a call, known to both
//! sides.

use queue::{
    JobOptions, Queue,
    worker::{Context, JobError},
};
use std::time::Duration;

/// The answer; null is one too.
pub(super) type Answer = Option<String>;
pub(super) type CallQueue = Queue<u64, Answer>;

/// The name of the failure that some calls must end with.
pub(super) const REFUSED: &str = "Refused";
/// The length of a long answer, in bytes.
const LONG: usize = 100_000;

/// The right end of a call; `None` is a refusal.
pub(super) fn expected(number: u64) -> Option<Answer> {
    match number % 100 {
        3 => None,
        5 => Some(None),
        7 => Some(Some(number.to_string().chars().cycle().take(LONG).collect())),
        _ => Some(Some(format!("answer {}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15)))),
    }
}

/// The handler: some first attempts fail, so that a call lasts through a retry.
pub(super) async fn handle(number: u64, context: Context, takes: Duration) -> Result<Answer, JobError> {
    tokio::time::sleep(takes).await;
    if number % 100 == 9 && context.attempt() == 1 {
        return Err(JobError::named("Flaky", "the first attempt fails"));
    }
    let refused = || JobError::named(REFUSED, "this one is never answered").as_terminal();
    expected(number).ok_or_else(refused)
}

/// Stalls are unlimited: killed workers charge them, and a job that was unlucky three times must
/// still be answered.
pub(super) fn job_options() -> JobOptions {
    JobOptions::new().unlimited_stalls().unlimited_attempts()
}
