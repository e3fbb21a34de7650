//! `queue events`: prints changes as they happen.

use crate::{
    exit::{CliError, Exit},
    output::{self, Format, Output, date},
    session::{Jobs, Missing, Session},
    signals::StopSignals,
};
use clap::Args;
use futures_util::{StreamExt, TryStreamExt};
use queue::{
    Clock, JobId, Seq, State, Status, SystemClock,
    queue_core::{EventReach, Hint, Interest, JobChange},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::sleep;

/// How often the jobs are compared if the store does not announce the changes of other processes.
const COMPARE_EVERY: Duration = Duration::from_secs(1);
/// The most jobs that are compared: each comparison reads them all, and keeps some hundred bytes of
/// each.
const COMPARED_MAX: usize = 100_000;

#[derive(Debug, Args)]
#[command(after_help = "\
Prints every change from now on until it is interrupted; stores keep no past changes. Postgres and Redis announce each
change as it happens; `missed` means that some were lost on the way, for example with a connection. For files and
SQLite, and behind PgBouncer, it compares all jobs once a second, at most 100000 of them, and of several changes of one
job in between it prints the last.")]
pub(crate) struct EventsArgs {
    /// Has no effect, since the command always follows
    #[arg(long, hide = true)]
    follow: bool,
}

pub(crate) async fn run(_: EventsArgs, session: &Session) -> Result<Exit, CliError> {
    let mut signals = StopSignals::listen()?;
    session
        .with_jobs(Missing::Refuse, async |jobs| {
            tokio::select! {
                ended = follow(jobs, session.out) => ended,
                () = signals.next() => Ok(Exit::Ok),
            }
        })
        .await
}

async fn follow(jobs: &Jobs, out: Output) -> Result<Exit, CliError> {
    match jobs.storage().capabilities().events {
        EventReach::Store => hear(jobs, out).await,
        _ => compare(jobs, out).await,
    }
}

/// Prints what the store announces.
async fn hear(jobs: &Jobs, out: Output) -> Result<Exit, CliError> {
    let mut hints = jobs.storage().subscribe(jobs.name(), Interest::All).await?;
    begin(jobs, out)?;
    while let Some(hint) = hints.next().await {
        match hint {
            Hint::Wake => {}
            Hint::Missed => missed(out)?,
            Hint::Job(change) => tell(&change, out)?,
            Hint::Completed(job) => tell(&job.change(), out)?,
        }
    }
    Err(CliError::new(Exit::Unavailable, "the store has closed the connection; try again"))
}

/// Prints the differences between one reading of the jobs and the next.
async fn compare(jobs: &Jobs, out: Output) -> Result<Exit, CliError> {
    let mut before = look(jobs).await?;
    begin(jobs, out)?;
    loop {
        sleep(COMPARE_EVERY).await;
        let after = look(jobs).await?;
        changes(&before, &after).iter().try_for_each(|change| tell(change, out))?;
        before = after;
    }
}

/// Jobs as they were read, by life.
type Seen = BTreeMap<Seq, (JobId, u64, State)>;

async fn look(jobs: &Jobs) -> Result<Seen, CliError> {
    let listed = jobs.jobs().all().take(COMPARED_MAX + 1);
    let key = |Status { meta, .. }: Status| (meta.seq, (meta.id, meta.revision, meta.state));
    let seen: Seen = listed.map_ok(key).try_collect().await?;
    if seen.len() > COMPARED_MAX {
        let message =
            format!("the queue has more than {COMPARED_MAX} jobs, too many to compare every second");
        return Err(CliError::new(Exit::Unusable, message));
    }
    Ok(seen)
}

/// Removed jobs, then new or changed ones, each from the oldest on.
fn changes(before: &Seen, after: &Seen) -> Vec<JobChange> {
    let of = |seq: &Seq, job: &(JobId, u64, State), state| {
        let (id, revision, _) = job.clone();
        JobChange { id, seq: *seq, revision, state }
    };
    let gone = before.iter().filter(|(seq, _)| !after.contains_key(seq)).map(|(seq, job)| of(seq, job, None));
    let moved = after.iter().filter(|(seq, job)| before.get(seq).is_none_or(|known| known.1 != job.1));
    gone.chain(moved.map(|(seq, job)| of(seq, job, Some(job.2)))).collect()
}

/// Reports that no change from here on is missed.
fn begin(jobs: &Jobs, out: Output) -> Result<(), CliError> {
    let name = jobs.name();
    match out.format() {
        Format::Human => output::note(format!("following {name}; end it with Ctrl-C")),
        Format::Json => out.object(&json!({"event": "following", "queue": name.as_str()}))?,
    }
    Ok(())
}

fn tell(change: &JobChange, out: Output) -> Result<(), CliError> {
    let state = change.state.map_or("gone", State::as_str);
    out.answer(|| format!("{}  {state:10}  {}", time(), change.id), || object(change))?;
    Ok(())
}

fn object(change: &JobChange) -> Value {
    json!({
        "event": if change.state.is_some() { "changed" } else { "gone" },
        "id": change.id.as_str(),
        "seq": change.seq.get(),
        "state": change.state.map(State::as_str),
    })
}

fn missed(out: Output) -> Result<(), CliError> {
    out.answer(|| format!("{}  missed", time()), || json!({"event": "missed"}))?;
    Ok(())
}

/// The time at which an event arrived, in UTC.
fn time() -> String {
    date(SystemClock.now())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(jobs: &[(u64, &str, u64, State)]) -> Seen {
        let entry = |(seq, id, revision, state): &(u64, &str, u64, State)| {
            (Seq::new(*seq), (JobId::new(id).unwrap(), *revision, *state))
        };
        jobs.iter().map(entry).collect()
    }

    #[test]
    fn two_looks_tell_what_is_new_moved_and_gone() {
        let before =
            seen(&[(1, "a", 1, State::Queued), (2, "b", 1, State::Queued), (3, "c", 4, State::Failed)]);
        let after =
            seen(&[(2, "b", 2, State::Processing), (3, "c", 4, State::Failed), (4, "a", 1, State::Queued)]);
        let told: Vec<_> = changes(&before, &after)
            .iter()
            .map(|change| format!("{} {:?}", change.id, change.state))
            .collect();
        assert_eq!(told, ["a None", "b Some(Processing)", "a Some(Queued)"]);
        assert_eq!(changes(&after, &after), []);
    }
}
