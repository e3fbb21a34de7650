//! Calls about schedules, by the client of this library.

use super::{jobs, steps::Scenario};
use queue::{
    Change, Error, Raw, Result, Timestamp,
    schedules::{Missed, Overlap, Put, Schedule, ScheduleStatus, Tick, Timing},
};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

const COUNT: u64 = 10;

/// `None` if there is no schedule of the name, which scenarios call a problem.
pub(crate) async fn call(scenario: &Scenario, said: &Value) -> Result<Option<Value>> {
    let schedules = scenario.jobs.schedules();
    let (action, name) = ["put", "get", "pause", "resume", "remove", "run", "next", "list", "preview"]
        .into_iter()
        .find_map(|action| said.get(action).map(|name| (action, name.as_str().unwrap_or_default())))
        .ok_or_else(|| Error::invalid("scenario", "there is no such call"))?;
    match action {
        "put" => put(scenario, name, &said["schedule"]).await.map(Some),
        "get" => Ok(schedules.get(name).await?.as_ref().map(shown)),
        "list" => Ok(Some(schedules.list().await?.schedules.iter().map(shown).collect())),
        "pause" => Ok(changed(schedules.pause(name).await?)),
        "resume" => Ok(changed(schedules.resume(name).await?)),
        "remove" => Ok(changed(schedules.remove(name).await?)),
        "run" => Ok(schedules.run_now(name).await?.map(|id| json!({"id": id.as_str()}))),
        "next" => {
            let Some(status) = schedules.get(name).await? else { return Ok(None) };
            Ok(Some(match said["from"].as_str() {
                Some(from) => after(&status.spec().timing, moment(from)?, said)?,
                None => status.next(COUNT as usize).iter().map(|tick| json!(tick.to_string())).collect(),
            }))
        }
        _ => {
            let from = said["from"].as_str().unwrap_or("2026-01-01T00:00:00Z");
            after(&timing(&said["schedule"])?, moment(from)?, said).map(Some)
        }
    }
}

async fn put(scenario: &Scenario, name: &str, said: &Value) -> Result<Value> {
    let job = &said["job"];
    let millis = |name: &str| Duration::from_millis(said[name].as_u64().unwrap_or(0));
    let missed = match said["missed"].as_str() {
        Some("latest") => Missed::Latest,
        Some("all") => Missed::All { max: said["catch_up"].as_u64().unwrap_or(1_000) as usize },
        _ => Missed::default(),
    };
    let overlap = if said["overlap"] == "skip" { Overlap::Skip } else { Overlap::Allow };
    let schedule = Schedule::new(name, timing(said)?, Raw(jobs::payload(job)?))
        .options(jobs::options(job))
        .missed(missed)
        .overlap(overlap)
        .jitter(millis("jitter_ms"));
    let kind = queue::Kind::new(job["kind"].as_str().unwrap_or("default"))?;
    let outcome = match scenario.jobs.of_kind(kind).schedules().put(&schedule).await? {
        Put::Created => "created",
        Put::Changed => "changed",
        Put::Rescheduled => "rescheduled",
        _ => "unchanged",
    };
    Ok(json!({"outcome": outcome}))
}

fn timing(said: &Value) -> Result<Timing> {
    let timing = match (said["cron"].as_str(), said["every_ms"].as_u64()) {
        (Some(cron), _) => Timing::cron(cron, said["zone"].as_str().unwrap_or("UTC")),
        (None, Some(millis)) => Timing::every(Duration::from_millis(millis)),
        (None, None) => {
            let moments = said["at"].as_array().into_iter().flatten().filter_map(Value::as_str).map(moment);
            Timing::at(moments.collect::<Result<Vec<_>>>()?)
        }
    };
    Ok(timing?)
}

fn moment(text: &str) -> Result<Timestamp> {
    let tick: Tick =
        serde_json::from_value(json!(text)).map_err(|error| Error::invalid("scenario", error.to_string()))?;
    let since = tick.time().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}

fn after(timing: &Timing, from: Timestamp, said: &Value) -> Result<Value> {
    let count = said["count"].as_u64().unwrap_or(COUNT);
    if count > 100 {
        // The library itself has no bound; the protocol has this one.
        return Err(Error::invalid("scenario", "at most 100"));
    }
    Ok(timing.after(from).take(count as usize).map(|tick| json!(Tick::from(tick).to_string())).collect())
}

fn changed(change: Change) -> Option<Value> {
    match change {
        Change::Done => Some(json!({"outcome": "done"})),
        Change::Requested => Some(json!({"outcome": "requested"})),
        Change::Missing => None,
        _ => Some(json!({"outcome": "unchanged"})),
    }
}

fn shown(status: &ScheduleStatus) -> Value {
    json!(status.whole_view(true))
}
