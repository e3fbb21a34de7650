//! The command `queue amend`: changes one waiting job in place.

use crate::{
    commands::jobs::enqueue::one::bytes,
    content_type,
    exit::{CliError, Exit},
    parse,
    session::{Jobs, Missing, Session},
};
use clap::{ArgGroup, Args};
use queue::{Change, ContentType, JobAmendment, JobId, Keep, Payload, Raw, Status};
use std::{
    ffi::OsString,
    time::{Duration, SystemTime},
};

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("change").required(true).multiple(true).args(["payload", "priority", "delay", "at", "ttl"]),
    after_help = "\
The job keeps its id, its attempts and its place in the history; what is not named stays as it was. The change holds under
the revision at which the job was read, so that nobody's change is lost: of two callers one is told to look again. Name
--revision, which `queue status --json` shows, if the decision rests on what was seen before. To change the priority of many
jobs use `queue bulk prioritize`.
Exits with 1 if the job runs, is finished or has moved, 3 if there is none."
)]
pub(crate) struct AmendArgs {
    /// The id of a job that waits
    id: JobId,
    /// The new payload; `-` reads it from standard input
    #[arg(long, allow_hyphen_values = true)]
    payload: Option<OsString>,
    /// The content type of the new payload [default: that of the present one]
    #[arg(long, value_name = "TYPE", requires = "payload")]
    content_type: Option<ContentType>,
    /// The priority, -32768 to 32767; lower runs first
    #[arg(long, value_name = "N", value_parser = parse::priority, allow_negative_numbers = true)]
    priority: Option<i16>,
    /// Run the job no earlier than this long from now
    #[arg(long, value_name = "TIME", value_parser = parse::duration)]
    delay: Option<Duration>,
    /// Run the job no earlier than this time, by the clock of the store: `2026-12-24T18:00:00Z`, or
    /// with an offset, `2026-12-24T18:00+01:00`
    #[arg(long, value_name = "TIME", value_parser = parse::time_of_day, conflicts_with = "delay")]
    at: Option<SystemTime>,
    /// How long the job and its result are kept once finished, with any outcome: a time,
    /// `forever` or `none`
    #[arg(long, visible_alias = "retention", value_name = "TIME", value_parser = parse::keep)]
    ttl: Option<Keep>,
    /// Change the job only if it is still at this revision
    #[arg(long, value_name = "N")]
    revision: Option<u64>,
}

pub(crate) async fn run(args: AmendArgs, session: &Session) -> Result<Exit, CliError> {
    let payload = args.payload.clone().map(bytes).transpose()?;
    let change = session.with_jobs(Missing::Refuse, async |jobs| {
        let Some(seen) = jobs.status(&args.id).await? else { return Ok(Change::Missing) };
        let amendment = args.amendment(&seen, payload, jobs).await?;
        Ok(jobs.amend(&args.id, amendment).await?)
    });
    let (id, change) = (&args.id, change.await?);
    if change == Change::Moved {
        let message = format!("the job {id:?} has changed meanwhile; look at it again");
        return Err(CliError::new(Exit::Negative, message));
    }
    session.tell_change(
        id,
        change,
        "amended",
        || format!("amended {id}"),
        |state| format!("the job {id:?} is {state}; only a job that waits can be amended"),
    )
}

impl AmendArgs {
    /// The change, which holds for the job as it was seen.
    async fn amendment(
        &self,
        seen: &Status,
        payload: Option<Vec<u8>>,
        jobs: &Jobs,
    ) -> Result<JobAmendment<Raw>, CliError> {
        let revision = self.revision.unwrap_or(seen.meta.revision);
        let mut change = JobAmendment::new().of_life(seen.meta.seq).at_revision(revision);
        if let Some(bytes) = payload {
            change = change.payload(Raw(self.payload_of(bytes, jobs).await?));
        }
        if let Some(priority) = self.priority {
            change = change.priority(priority);
        }
        if let Some(delay) = self.delay {
            change = change.delay(delay);
        }
        if let Some(at) = self.at {
            change = change.delay(jobs.time_until(at).await?);
        }
        if let Some(keep) = self.ttl {
            change = change.keep_completed(keep).keep_failed(keep);
        }
        Ok(change)
    }

    /// The new payload. Its type is that of the present one, which the handlers of the job read.
    async fn payload_of(&self, bytes: Vec<u8>, jobs: &Jobs) -> Result<Payload, CliError> {
        let found = content_type::of_payload(&bytes, self.content_type.as_ref())?;
        let content_type = match &self.content_type {
            Some(given) => given.clone(),
            // Without a job, as the amendment will find, any does.
            None => jobs
                .payload_bytes(&self.id)
                .await?
                .map_or_else(|| found.clone(), |present| present.content_type),
        };
        let is_json = |content_type: &ContentType| content_type.as_str() == content_type::JSON;
        if self.content_type.is_none() && is_json(&content_type) && !is_json(&found) {
            let message = "the payload of this job is JSON, and the new one is not; name its --content-type";
            return Err(CliError::invalid(message));
        }
        Ok(Payload::new(bytes, content_type))
    }
}
