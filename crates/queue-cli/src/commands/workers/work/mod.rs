//! `queue work`: a worker that runs a shell command for each job.

mod captured;
mod damage;
mod event;
mod exec;
mod remote;
mod script;
mod started_job;
mod stop_request;

use crate::{
    exit::{CliError, Exit},
    output::{self, Format},
    parse,
    session::{Jobs, Missing, Session},
    signals::StopSignals,
    store_wait::StoreWaitArgs,
};
use clap::Args;
use damage::DamageWatch;
use exec::{Exec, Snooze};
use queue::worker::{Context, Router, Worker, WorkerReport};
use queue::{ContentType, Raw, RetryPolicy};
use script::Script;
use started_job::StartedJob;
use std::{num::NonZeroUsize, pin::pin, sync::Arc, thread, time::Duration};
use stop_request::{StopRequest, on_signals};
use tokio_util::sync::CancellationToken;

/// What the environment of a command cannot hold goes through standard input alone; see `script`.
#[derive(Debug, Args)]
#[command(after_help = "\
The command is run by `sh -c`. It finds the payload on standard input, and, if it is text of at most 64 KiB without zero
bytes, in $QUEUE_PAYLOAD. $QUEUE_ID, $QUEUE_KIND and $QUEUE_ATTEMPT (from 1) are set too, and $QUEUE_STORE and
$QUEUE_NAME for `queue` commands of its own. What it writes to standard output becomes the result.
Exit code 0 completes the job; any other is a failed attempt whose message is the end of standard error; --terminal-exit
fails the job for good, and --snooze-exit puts it off uncharged: for the time that the command wrote to standard output,
such as 90s, or else for --snooze-wait. When the lease is lost, the job is cancelled or its time limit passes, the
command and all processes that it started are killed. Processes that it leaves running when it ends live on, and are not
waited for.
A host that has no process, memory or file left for a command is not the job's fault: it goes back uncharged, and this
worker waits a second.
The first SIGINT, SIGTERM, SIGHUP or SIGQUIT ends the worker when its commands are done (at most --grace), a second one
kills them; their jobs go back uncharged. A signal within a second of the first one counts as the same: `timeout` sends
each to the program and to its group. With `nohup` it ignores SIGHUP. If the worker itself is killed, its
jobs run again when their leases lapse, and a small process beside it, the guardian, kills its commands. A command goes on
beside the next attempt only if both are killed at once, if it has left its process group (`setsid`), or if the worker stands
still past the lease.
It exits with 1 if a job failed for good, with 5 if an outcome could not be stored: that job runs again, and with 6 if
the store is damaged.
With --wait it waits for a store that is not there yet, says so once and then ever more seldom, and tries again after
pauses of 1 s to 30 s. A signal ends that with 0. A wrong URL, a wrong password and a store of another version end it at once.
With --server it claims from a service, waits for it without --wait, and needs no more than a token with the scope `work`; the
command then finds $QUEUE_SERVER and $QUEUE_TOKEN_FILE in place of $QUEUE_STORE.")]
pub(crate) struct WorkArgs {
    /// The shell command to run for each job
    #[arg(long, value_name = "COMMAND", value_parser = parse::command)]
    exec: String,
    /// How many commands run at once [default: one per processor]
    #[arg(long, value_name = "N", value_parser = parse::number_from_one)]
    concurrency: Option<NonZeroUsize>,
    /// How many jobs to hold ready beyond those that run; helps if commands are short
    #[arg(long, value_name = "N", default_value_t = 0)]
    prefetch: usize,
    /// End when the queue has no unfinished job; waits for delayed jobs and for jobs of other
    /// workers
    #[arg(long)]
    drain: bool,
    /// How long a job stays leased without a sign of life; after a crash it waits this long
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse::positive, allow_hyphen_values = true)]
    lease: Duration,
    /// The longest sleep while no job is due, for stores whose events do not reach this process
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse::positive, allow_hyphen_values = true)]
    poll: Duration,
    /// How long running commands may go on when the worker stops
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse::duration, allow_hyphen_values = true)]
    grace: Duration,
    /// How long a command may run before it is killed, which is a failed attempt [default: for
    /// ever]
    #[arg(long, value_name = "TIME", value_parser = parse::positive, allow_hyphen_values = true)]
    time_limit: Option<Duration>,
    /// How long a job waits after its first failed attempt; each further wait is twice as long, and
    /// up to a quarter shorter
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse::duration, allow_hyphen_values = true)]
    retry_wait: Duration,
    /// The longest wait between attempts
    #[arg(long, value_name = "TIME", default_value = "6h", value_parser = parse::duration, allow_hyphen_values = true)]
    retry_wait_max: Duration,
    /// The largest result in bytes; a command that writes more fails for good
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    max_output: usize,
    /// The exit code by which a command says that no further attempt can help
    #[arg(long, value_name = "CODE", default_value_t = 65)]
    terminal_exit: u8,
    /// The exit code by which a command asks to be called again later, which charges no attempt; 75
    /// is usual
    #[arg(long, value_name = "CODE", value_parser = clap::value_parser!(u8).range(1..))]
    snooze_exit: Option<u8>,
    /// How long that exit code puts a job off
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1m",
        requires = "snooze_exit",
        value_parser = parse::duration,
        allow_hyphen_values = true
    )]
    snooze_wait: Duration,
    /// The content type of results [default: text or JSON if they are that, otherwise the payload's
    /// content type]
    #[arg(long, value_name = "TYPE")]
    result_type: Option<ContentType>,
    #[command(flatten)]
    store_wait: StoreWaitArgs,
}

pub(crate) async fn run(args: WorkArgs, session: &Session) -> Result<Exit, CliError> {
    // A wrong retry option is reported before a store is opened.
    retry(&args)?;
    let mut signals = StopSignals::listen()?;
    if let Some(server) = &session.server {
        return remote::run(&args, server, session, &mut signals).await;
    }
    let open = || session.open(Missing::Refuse);
    let Some(storage) = args.store_wait.open(session.out.format(), &mut signals, open).await? else {
        return Ok(Exit::Ok);
    };
    session.with_opened(storage, async |jobs| serve(&args, jobs, session, &mut signals).await).await
}

/// Works to the end, and reports what was done. A store that is closed for good ends the worker
/// with that error.
async fn serve(
    args: &WorkArgs,
    jobs: &Jobs,
    session: &Session,
    signals: &mut StopSignals,
) -> Result<Exit, CliError> {
    tell_start(args, place(jobs, session), session);
    let (report, stopped) = work(args, jobs, session, signals).await?;
    tell_end(report, stopped, session)
}

/// Where the jobs are: a path without its options, or the kind of a store whose URL may have
/// secrets.
fn place<'a>(jobs: &'a Jobs, session: &'a Session) -> &'a str {
    let url = session.url.split_once('?').map_or(session.url.as_str(), |(url, _)| url);
    let is_path = ["sqlite:", "file:"].iter().any(|scheme| url.starts_with(scheme));
    if is_path { url } else { jobs.storage().capabilities().name }
}

/// Says to people what the worker does and where; `store` is without what opens it.
fn tell_start(args: &WorkArgs, store: &str, session: &Session) {
    if session.out.format() == Format::Human {
        let commands = output::plural(args.concurrency() as u64, "command", "commands");
        output::note(format!("working on the queue {} of {store}, {commands} at once", session.name));
    }
}

/// Reports what was done, and answers the exit code that it means.
fn tell_end(report: WorkerReport, stopped: StopRequest, session: &Session) -> Result<Exit, CliError> {
    session.out.answer(|| event::words(&report), || event::summary(&report))?;
    if let Some(error) = report.error {
        return Err(error.into());
    }
    Ok(match stopped {
        StopRequest::Twice => Exit::Interrupted,
        // Their work is done, and will be done again.
        _ if report.abandoned > 0 => Exit::Unavailable,
        StopRequest::Never if report.failed > 0 => Exit::Negative,
        StopRequest::Never | StopRequest::Once => Exit::Ok,
    })
}

async fn work(
    args: &WorkArgs,
    jobs: &Jobs,
    session: &Session,
    signals: &mut StopSignals,
) -> Result<(WorkerReport, StopRequest), CliError> {
    let kill = CancellationToken::new();
    let damage = DamageWatch::default();
    let worker = worker(args, jobs, session, kill.clone(), damage.clone())?;
    let stop = worker.stop_token();
    let ask = |request| if request == StopRequest::Twice { kill.cancel() } else { stop.cancel() };
    let running = async {
        let mut running = pin!(worker.run());
        tokio::select! {
            report = &mut running => report,
            () = damage.found() => {
                stop.cancel();
                running.await
            }
        }
    };
    let (mut report, stopped) = on_signals(running, ask, session, signals).await;
    report.error = report.error.or(damage.error());
    Ok((report, stopped))
}

/// The command is run for jobs of every kind.
fn router(exec: Exec) -> Router {
    let exec = Arc::new(exec);
    Router::new(()).fallback(move |Raw(payload): Raw, context: Context| {
        let exec = exec.clone();
        async move { Ok(exec.run(&payload, &StartedJob::from(&context), context.cancelled()).await.map(Raw)?) }
    })
}

fn worker(
    args: &WorkArgs,
    jobs: &Jobs,
    session: &Session,
    kill: CancellationToken,
    damage: DamageWatch,
) -> Result<Worker, CliError> {
    let router = router(args.exec(session, kill));
    let show = event::shown(session.out);
    let builder = Worker::builder(jobs.storage().clone(), jobs.name().clone(), router)
        .concurrency(args.concurrency())
        .prefetch(args.prefetch)
        .lease(args.lease)
        .poll_interval(args.poll)
        .drain_deadline(args.grace)
        .retry(retry(args)?)
        .on_event(move |event| {
            if !damage.notes(event) {
                show(event);
            }
        });
    let builder = match args.time_limit {
        Some(limit) => builder.time_limit(limit),
        None => builder,
    };
    Ok(if args.drain { builder.until_empty() } else { builder }.build()?)
}

impl WorkArgs {
    fn exec(&self, session: &Session, kill: CancellationToken) -> Exec {
        Exec {
            script: Script::new(&self.exec, session),
            output_bytes_max: self.max_output,
            terminal_exit: i32::from(self.terminal_exit),
            snooze: self.snooze_exit.map(|exit| Snooze { exit: i32::from(exit), wait: self.snooze_wait }),
            result_type: self.result_type.clone(),
            format: session.out.format(),
            kill,
        }
    }

    fn concurrency(&self) -> usize {
        let processors = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.concurrency.unwrap_or(processors).get()
    }
}

fn retry(args: &WorkArgs) -> Result<RetryPolicy, CliError> {
    if args.retry_wait_max < args.retry_wait {
        return Err(CliError::invalid("--retry-wait-max must be at least --retry-wait"));
    }
    Ok(RetryPolicy::exponential(args.retry_wait).cap(args.retry_wait_max).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        args::{Cli, Command},
        opener::Opener,
        output::Output,
    };
    use clap::Parser;
    use queue::{Queue, QueueName};

    #[tokio::test]
    async fn a_store_that_is_gone_for_good_is_an_error() {
        let cli = Cli::try_parse_from(["queue", "work", "--exec", "true"]).unwrap();
        let Command::Work(args) = cli.command else { panic!("{:?}", cli.command) };
        let name = QueueName::from_static("tests");
        let session = Session {
            out: Output::new(Format::Human),
            url: "memory:".to_owned(),
            server: None,
            name,
            opener: Opener::default(),
        };
        let storage = session.opener.open(&session.url).await.unwrap();
        let jobs = Queue::new(storage.clone(), &session.name).unwrap();
        storage.close().await.unwrap();
        let mut signals = StopSignals::listen().unwrap();
        let error = serve(&args, &jobs, &session, &mut signals).await.unwrap_err();
        assert_eq!(error.report(Format::Human), Exit::Unavailable);
    }
}
