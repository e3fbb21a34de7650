//! The handler of `queue work`: runs the shell command for a job, and derives an outcome from its
//! exit code and output.

use super::{
    captured::{Keep, OutputCapture, text},
    script::Script,
    started_job::{AttemptEnd, StartedJob},
};
use crate::{
    content_type,
    output::{self, Format},
    parse,
    process_group::{NO_PROCESS, ProcessGroup, REST, is_short_of_room},
};
use queue::{ContentType, Payload};
use std::{io, pin::pin, process::ExitStatus, time::Duration};
use tokio::{
    io::AsyncWriteExt,
    process::{Child, ChildStdin},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// The bytes of standard error to keep; a stored message has room for 1024 bytes, some of which our
/// own words take.
const STDERR_BYTES_MAX: usize = 900;

/// Runs a shell command for each job.
#[derive(Debug)]
pub(super) struct Exec {
    pub(super) script: Script,
    pub(super) output_bytes_max: usize,
    pub(super) terminal_exit: i32,
    pub(super) snooze: Option<Snooze>,
    pub(super) result_type: Option<ContentType>,
    /// How warnings are printed.
    pub(super) format: Format,
    /// Kills all running commands; their jobs are given back.
    pub(super) kill: CancellationToken,
}

/// The exit code that snoozes a job, and the time if the command names none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Snooze {
    pub(super) exit: i32,
    pub(super) wait: Duration,
}

/// What a command that ended left behind.
struct CommandEnd {
    status: ExitStatus,
    output: Vec<u8>,
    errors: Vec<u8>,
}

impl Exec {
    /// Runs the command until it ends or its job is `cancelled`. A command that has ended by then
    /// counts, since its work is done: this process may have been suspended meanwhile, and whether
    /// the lease still holds is for the store to say. The future may be dropped at any point: the
    /// command is then killed.
    pub(super) async fn run(
        &self,
        payload: &Payload,
        job: &StartedJob,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Payload, AttemptEnd> {
        let stopped = async {
            tokio::select! {
                () = cancelled => {}
                () = self.kill.cancelled() => {}
            }
        };
        let ended = self.run_to_end(payload, job, stopped).await?;
        self.judge(ended, payload.content_type.clone())
    }

    /// An error drops the child and its group, which kills them. Processes that a command left
    /// running when it ended live on. They are not waited for, even if they inherited its output.
    async fn run_to_end(
        &self,
        payload: &Payload,
        job: &StartedJob,
        stopped: impl Future<Output = ()>,
    ) -> Result<CommandEnd, AttemptEnd> {
        let mut stopped = pin!(stopped);
        let (mut child, mut group) = self.start(payload, job, stopped.as_mut()).await?;
        let stdin = child.stdin.take();
        let (stdout, stderr) =
            child.stdout.take().zip(child.stderr.take()).expect("both were asked to be pipes");
        let mut output = OutputCapture::new(stdout, Keep::First(self.output_bytes_max));
        let mut errors = OutputCapture::new(stderr, Keep::Last(STDERR_BYTES_MAX));
        let reading = async {
            let read_output = async {
                output.read().await.map_err(cannot_run)?;
                if output.is_full() { Err(self.too_large()) } else { Ok(()) }
            };
            let read_errors = async { errors.read().await.map_err(cannot_run) };
            tokio::try_join!(feed(stdin, payload), read_output, read_errors)
        };
        let ended = async {
            tokio::select! {
                status = child.wait() => status.map_err(cannot_run),
                read = reading => {
                    read?;
                    child.wait().await.map_err(cannot_run)
                }
            }
        };
        let ended = tokio::select! {
            biased;
            status = ended => Some(status?),
            () = &mut stopped => None,
        };
        let status = match ended {
            Some(status) => status,
            // The runtime may report the child's end later than the stop, so the child itself is
            // asked.
            None => child.try_wait().map_err(cannot_run)?.ok_or(AttemptEnd::Killed)?,
        };
        group.forget();
        output.read_left().and_then(|()| errors.read_left()).map_err(cannot_run)?;
        if output.is_full() {
            return Err(self.too_large());
        }
        Ok(CommandEnd { status, output: output.into_bytes(), errors: errors.into_bytes() })
    }

    /// Starts the command. A host at its limits is no fault of the job: it goes back uncharged,
    /// after a pause in which this slot claims no other.
    async fn start(
        &self,
        payload: &Payload,
        job: &StartedJob,
        stopped: impl Future<Output = ()>,
    ) -> Result<(Child, ProcessGroup), AttemptEnd> {
        let refused = match self.script.start(payload, job) {
            Err(error) if is_short_of_room(&error) => error,
            started => return started.map_err(cannot_run),
        };
        output::warn(self.format, format!("{NO_PROCESS} ({refused}); {} goes back to the queue", job.id));
        // Stopped or not, the job is given back.
        let _elapsed = timeout(REST, stopped).await;
        Err(AttemptEnd::Killed)
    }

    fn too_large(&self) -> AttemptEnd {
        let message =
            format!("the command wrote more than {} bytes; see --max-output", self.output_bytes_max);
        AttemptEnd::failed("OutputTooLarge", message).into_terminal()
    }

    fn judge(&self, ended: CommandEnd, payload_type: ContentType) -> Result<Payload, AttemptEnd> {
        if ended.status.success() {
            let content_type =
                self.result_type.clone().unwrap_or_else(|| of_result(&ended.output, payload_type));
            return Ok(Payload::new(ended.output, content_type));
        }
        if let Some(wait) = self.snooze_after(&ended) {
            return Err(AttemptEnd::Snoozed(wait));
        }
        let failed = AttemptEnd::failed(name(ended.status), message(&ended));
        let is_terminal = ended.status.code() == Some(self.terminal_exit);
        Err(if is_terminal { failed.into_terminal() } else { failed })
    }

    /// The time to snooze the job, if the command asked for it.
    fn snooze_after(&self, ended: &CommandEnd) -> Option<Duration> {
        let snooze = self.snooze.filter(|snooze| ended.status.code() == Some(snooze.exit))?;
        let said = str::from_utf8(&ended.output).ok().and_then(|output| parse::duration(output.trim()).ok());
        Some(said.unwrap_or(snooze.wait))
    }
}

/// The content type of a result: a command that gets text or JSON may answer with either; any other
/// format it uses in both directions.
fn of_result(output: &[u8], payload_type: ContentType) -> ContentType {
    match payload_type.as_str() {
        "application/json" | "text/plain" => content_type::guess(output),
        _ => payload_type,
    }
}

fn cannot_run(error: io::Error) -> AttemptEnd {
    AttemptEnd::failed("CannotRun", error)
}

/// A command need not read its input, so a closed pipe is not an error.
async fn feed(stdin: Option<ChildStdin>, payload: &Payload) -> Result<(), AttemptEnd> {
    if let Some(mut stdin) = stdin {
        drop(stdin.write_all(&payload.bytes).await);
    }
    Ok(())
}

/// The name of an ending, for programs: `Exit3`, or `Signal`. The code is in the name, since
/// failures are grouped by it and by a message without its numbers.
fn name(status: ExitStatus) -> String {
    status.code().map_or_else(|| "Signal".to_owned(), |code| format!("Exit{code}"))
}

/// The message of a failure: `exit status: 3: the end of standard error`.
fn message(ended: &CommandEnd) -> String {
    let errors = text(&ended.errors, STDERR_BYTES_MAX);
    if errors.is_empty() { ended.status.to_string() } else { format!("{}: {errors}", ended.status) }
}
