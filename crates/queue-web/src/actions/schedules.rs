//! Schedules: one run now, a pause, and its end.

use crate::{
    answer::Answer,
    problem::{Result, WebProblem},
    visit::Visit,
};
use queue::Change;

/// `POST /schedule`
pub(crate) async fn change_schedule(visit: Visit) -> Result<Answer> {
    let queue = visit.open_queue()?;
    let name = visit.required("name")?;
    let action = visit.required("action")?;
    let schedules = visit.client(&queue)?.schedules();
    let did = match action {
        "run" => "run",
        "pause" => "schedule-pause",
        "resume" => "schedule-resume",
        _ => return Err(WebProblem::invalid("A schedule can run, pause or resume.")),
    };
    let record = visit.begin(did, queue.as_str(), format!("schedule {name}")).await?;
    let changed = match action {
        "run" => {
            schedules.run_now(name).await.map(|id| if id.is_some() { Change::Done } else { Change::Missing })
        }
        "pause" => schedules.pause(name).await,
        _ => schedules.resume(name).await,
    };
    let told = match &changed {
        Ok(Change::Done) => did,
        Ok(Change::Missing) => "missing",
        Ok(_) => "unchanged",
        Err(_) => "the store refused",
    };
    visit.end(record, told).await;
    let _: Change = changed?;
    Ok(visit.done(told, 1, 0))
}
