//! `queue lead`: runs a shell command while this process leads an election, and only then.

use crate::{
    exit::{CliError, Exit},
    guardian::Guardian,
    output::{self, Format, Output},
    parse,
    process_group::{NO_PROCESS, ProcessGroup, REST, is_short_of_room},
    seldom_warning::SeldomWarning,
    session::{Missing, Session},
    signals::StopSignals,
};
use clap::Args;
use queue::worker::{Fence, Leadership, LeadershipEvent, LostReason, Term};
use queue::{State, Storage};
use serde_json::json;
use std::{
    pin::pin,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    time::{sleep, timeout},
};

/// How long an election may take before the command looks whether another process leads.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
#[command(after_help = "\
Of all processes that run this with the same store and name, one runs its command; the others wait, and one of them runs
its own when that one ends. So it is for a command that runs for long, and no way to run something once: for once a night
use `queue schedule`. --no-wait ends with 1 where another process leads. The command finds the number of its
term in $QUEUE_FENCE, as two numbers with a dot: later terms are greater, compared by the first number first. What the
command writes elsewhere should carry this number, so that a leader that was frozen can be refused.
When the leader dies or loses the store, another takes over after --lease; a command whose term ends is killed with all
that it started, and this process runs for election again. If this process itself is killed, a small process beside it, the
guardian, kills the command. A command goes on beside its successor's only if both are killed at once, if it has left its
process group (`setsid`), or if this process stands still: the number of the term is for that. When the command ends by itself, this process ends too: with
0 if it succeeded, otherwise with 1. After SIGINT, SIGTERM, SIGHUP or SIGQUIT the command gets SIGTERM, and has --grace to
end.")]
pub(crate) struct LeadArgs {
    /// The name of the election
    election: String,
    /// The shell command of the leader
    #[arg(long, value_name = "COMMAND", value_parser = parse::command)]
    exec: String,
    /// Where another process leads, exit with 1 instead of waiting
    #[arg(long)]
    no_wait: bool,
    /// How long a leader leads without a sign of life; after a crash no one leads for this long
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = parse::duration, allow_hyphen_values = true)]
    lease: Duration,
    /// How long the command may take to end when this process stops
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse::duration, allow_hyphen_values = true)]
    grace: Duration,
}

pub(crate) async fn run(args: LeadArgs, session: &Session) -> Result<Exit, CliError> {
    let mut signals = StopSignals::listen()?;
    session
        .with_jobs(Missing::Refuse, async |jobs| {
            let (out, tries) = (session.out, SeldomWarning::default());
            let leadership = Leadership::builder(jobs.storage().clone(), &args.election)?
                .lease(args.lease)
                .on_event(move |event| show(out, event, &tries))
                .build()?;
            let guardian = Guardian::start(out.format());
            lead(&args, session, (&**jobs.storage(), &leadership), &guardian, &mut signals).await
        })
        .await
}

async fn lead(
    args: &LeadArgs,
    session: &Session,
    (storage, leadership): (&dyn Storage, &Leadership),
    guardian: &Guardian,
    signals: &mut StopSignals,
) -> Result<Exit, CliError> {
    loop {
        let term = tokio::select! {
            () = signals.next() => return Ok(Exit::Interrupted),
            term = acquire(args, storage, leadership, session.out) => term?,
        };
        let ended = govern(args, session, &term, guardian, signals).await;
        term.resign().await;
        if let Some(exit) = ended? {
            return Ok(exit);
        }
        tokio::select! {
            () = signals.next() => return Ok(Exit::Interrupted),
            () = sleep(REST) => {}
        }
    }
}

/// Waits until this process leads, and says so once while another one does.
async fn acquire(
    args: &LeadArgs,
    storage: &dyn Storage,
    leadership: &Leadership,
    out: Output,
) -> Result<Term, CliError> {
    let mut acquiring = pin!(leadership.acquire());
    let mut is_told = false;
    loop {
        tokio::select! {
            term = &mut acquiring => return Ok(term?),
            () = sleep(LOOK), if !is_told => {}
        }
        // The job of the election runs while a process leads.
        if storage.counts(leadership.queue()).await?.of(State::Processing) > 0 {
            if args.no_wait {
                return Err(CliError::new(Exit::Negative, "another process leads"));
            }
            tell_waiting(out);
            is_told = true;
        }
    }
}

/// Runs the command for a term; `None` if the term ended first.
async fn govern(
    args: &LeadArgs,
    session: &Session,
    term: &Term,
    guardian: &Guardian,
    signals: &mut StopSignals,
) -> Result<Option<Exit>, CliError> {
    let mut child = match command(args, session, term.fence()).spawn() {
        // Another candidate may have room for it.
        Err(error) if is_short_of_room(&error) => {
            output::warn(session.out.format(), format!("{NO_PROCESS} ({error}); the term ends"));
            return Ok(None);
        }
        started => started?,
    };
    // Dropping the group kills all processes that still run.
    let mut group = ProcessGroup::of(&child, guardian);
    // The input of the command is empty, and ends once the guardian knows it.
    drop(child.stdin.take());
    let ended = tokio::select! {
        status = child.wait() => Some(of_status(status?)),
        () = term.lost() => None,
        () = signals.next() => {
            wind_down(&mut child, &mut group, term, args.grace).await;
            return Ok(Some(Exit::Interrupted));
        }
    };
    if ended.is_some() {
        group.forget();
    }
    Ok(ended)
}

/// Asks the command to end, and waits for that within the grace, but no longer than the term, since
/// another process may lead after it. The caller kills what still runs.
async fn wind_down(child: &mut Child, group: &mut ProcessGroup, term: &Term, grace: Duration) {
    group.terminate();
    tokio::select! {
        ended = timeout(grace, child.wait()) => if ended.is_ok() { group.forget() },
        () = term.lost() => {}
    }
}

fn command(args: &LeadArgs, session: &Session, fence: Fence) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &args.exec])
        .env("QUEUE_FENCE", fence.to_string())
        .env("QUEUE_STORE", &session.url)
        .env("QUEUE_NAME", session.name.as_str())
        .stdin(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

fn tell_waiting(out: Output) {
    match out.format() {
        Format::Human => output::note("waiting: another process leads"),
        Format::Json => output::note_object(&json!({"event": "waiting"})),
    }
}

fn of_status(status: ExitStatus) -> Exit {
    if status.success() { Exit::Ok } else { Exit::Negative }
}

/// Prints to standard error, since standard output belongs to the command. With `--json`, programs
/// read events there too. People see an error of what is tried again seldom.
fn show(out: Output, event: &LeadershipEvent, tries: &SeldomWarning) {
    let (words, object) = match event {
        LeadershipEvent::Elected(fence) => {
            (format!("leading, term {fence}"), json!({"event": "elected", "fence": fence.to_string()}))
        }
        LeadershipEvent::Lost { fence, reason } => (
            match reason {
                LostReason::Resigned => format!("term {fence} is over: the command ended"),
                reason => format!("term {fence} is over: {reason:?}"),
            },
            json!({"event": "lost", "fence": fence.to_string(), "reason": format!("{reason:?}")}),
        ),
        LeadershipEvent::Error(error) => (
            format!("warning: {error}; trying again"),
            json!({"event": "error", "message": error.to_string()}),
        ),
        _ => return,
    };
    match out.format() {
        Format::Human if matches!(event, LeadershipEvent::Error(_)) && !tries.is_due(&words) => {}
        Format::Human => output::note(words),
        Format::Json => output::note_object(&object),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use queue::{
        JobId, MemoryStorage, OnProcessing, Policy, QueueName, StorageExt, queue_core::lifecycle::Event,
    };
    use std::{os::unix::process::ExitStatusExt, sync::Arc};
    use tokio::io::AsyncReadExt;

    async fn term(store: &Arc<MemoryStorage>) -> Term {
        let leadership = Leadership::builder(store.clone(), "report").unwrap().build().unwrap();
        leadership.acquire().await.unwrap()
    }

    /// A term whose holder was asked to step down.
    async fn lost_term() -> Term {
        let store = Arc::new(MemoryStorage::new());
        let term = term(&store).await;
        let (queue, job) = (QueueName::from_static("leader:report"), JobId::from_static("leader"));
        let cancel = Event::Cancel { processing: OnProcessing::Request };
        store.change(&queue, &job, cancel, &Policy::default()).await.unwrap();
        assert!(!term.confirm().await.unwrap());
        term
    }

    /// A command that ignores the request to end.
    async fn stubborn() -> (Child, ProcessGroup) {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' TERM; echo ready; exec sleep 1000"]);
        command.stdout(Stdio::piped()).process_group(0).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 5]).await.unwrap();
        let group = ProcessGroup::of(&child, &Guardian::start(Format::Human));
        (child, group)
    }

    async fn is_killed_with(mut child: Child, group: ProcessGroup) -> bool {
        drop(group);
        child.wait().await.unwrap().signal() == Some(9)
    }

    #[tokio::test]
    async fn a_command_that_is_winding_down_is_killed_when_its_term_is_lost() {
        let (mut child, mut group) = stubborn().await;
        let term = lost_term().await;
        let wound_down = wind_down(&mut child, &mut group, &term, Duration::from_hours(1));
        assert!(wound_down.now_or_never().is_some(), "the grace outlasts the term");
        assert!(is_killed_with(child, group).await);
    }

    #[tokio::test]
    async fn a_command_that_is_winding_down_is_killed_when_its_grace_is_over() {
        let (mut child, mut group) = stubborn().await;
        let term = term(&Arc::new(MemoryStorage::new())).await;
        wind_down(&mut child, &mut group, &term, Duration::ZERO).await;
        assert!(is_killed_with(child, group).await);
    }
}
