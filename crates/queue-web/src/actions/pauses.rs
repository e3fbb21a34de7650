//! Pausing and resuming queues, and kinds of jobs.

use crate::{
    answer::Answer,
    problem::{Result, WebProblem},
    visit::Visit,
};
use queue_core::{Kind, Pause, QueueName, Span};

/// The longest pause with an end.
const MINUTES_MAX: u64 = 60 * 24 * 366;

/// `POST /pause`: pauses a queue or one of its kinds, for some minutes or until it is resumed.
pub(crate) async fn pause(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    let (pause, words) = match visit.form.get("minutes") {
        None => (Pause::UntilResumed, "until resumed".to_owned()),
        Some(text) => {
            let minutes = text.parse::<u64>().ok().filter(|minutes| (1..=MINUTES_MAX).contains(minutes));
            let minutes =
                minutes.ok_or_else(|| WebProblem::invalid("A pause lasts for 1 minute to a year."))?;
            let span = Span::from_secs(minutes.cast_signed() * 60);
            (Pause::Until(visit.client(&queue)?.store_time().await? + span), format!("for {minutes} min"))
        }
    };
    set(&visit, &queue, pause, &words).await?;
    Ok(visit.done("pause", 1, 0))
}

/// `POST /resume`
pub(crate) async fn resume(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    set(&visit, &queue, Pause::Off, "now").await?;
    Ok(visit.done("resume", 1, 0))
}

async fn set(visit: &Visit, queue: &QueueName, pause: Pause, words: &str) -> Result<()> {
    let kind = visit.form.get("kind").map(Kind::new).transpose()?;
    let subject =
        kind.as_ref().map_or_else(|| format!("the queue, {words}"), |kind| format!("kind {kind}, {words}"));
    let record = visit.begin(if pause.is_on() { "pause" } else { "resume" }, queue.as_str(), subject).await?;
    let set = visit.storage().set_paused(queue, kind.as_ref(), pause).await;
    visit.end(record, if set.is_ok() { "done" } else { "the store refused" }).await;
    Ok(set?)
}
