use super::{script::Script, tail};
use queue::worker::{Context, JobError};
use queue::{ContentType, Payload, Raw};
use std::{io, process::ExitStatus};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, ChildStdout},
};
use tokio_util::sync::CancellationToken;

/// How much of standard error is kept; a stored message has room for 1024 bytes, of which ours takes some.
const STDERR_BYTES_MAX: usize = 900;

/// Runs a shell command for each job.
#[derive(Debug)]
pub(super) struct Exec {
    pub(super) script: Script,
    pub(super) output_bytes_max: usize,
    pub(super) terminal_exit: i32,
    pub(super) result_type: Option<ContentType>,
    /// Kills what runs; the jobs are given back.
    pub(super) kill: CancellationToken,
}

/// What a command left behind.
struct Ended {
    status: ExitStatus,
    output: Vec<u8>,
    errors: Vec<u8>,
}

impl Exec {
    /// Its future may be dropped at any point: the command is then killed.
    pub(super) async fn run(&self, Raw(payload): Raw, context: Context) -> Result<Raw, JobError> {
        tokio::select! {
            ended = self.run_to_end(&payload, &context) => self.judge(ended?, payload.content_type),
            // The lease is lost, the job was cancelled, or the worker stops: in no case is it the job's fault.
            () = context.cancelled() => Err(JobError::release()),
            () = self.kill.cancelled() => Err(JobError::release()),
        }
    }

    /// An error drops the child and its group, which kills them.
    async fn run_to_end(&self, payload: &Payload, context: &Context) -> Result<Ended, JobError> {
        let (mut child, mut group) = self.script.start(payload, context).map_err(cannot_run)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (stdout, stderr) = stdout.zip(stderr).expect("both were asked to be pipes");
        let ((), output, errors) = tokio::try_join!(feed(stdin, payload), self.read_output(stdout), async {
            tail::read(stderr, STDERR_BYTES_MAX).await.map_err(cannot_run)
        },)?;
        let status = child.wait().await.map_err(cannot_run)?;
        group.forget();
        Ok(Ended { status, output, errors })
    }

    async fn read_output(&self, stdout: ChildStdout) -> Result<Vec<u8>, JobError> {
        let most = self.output_bytes_max;
        let mut output = Vec::new();
        stdout.take(most as u64 + 1).read_to_end(&mut output).await.map_err(cannot_run)?;
        if output.len() <= most {
            return Ok(output);
        }
        let message = format!("the command wrote more than {most} bytes; see --max-output");
        Err(JobError::named("OutputTooLarge", message).as_terminal())
    }

    fn judge(&self, ended: Ended, payload_type: ContentType) -> Result<Raw, JobError> {
        if ended.status.success() {
            let content_type = self.result_type.clone().unwrap_or(payload_type);
            return Ok(Raw(Payload::new(ended.output, content_type)));
        }
        let failed = JobError::named(name(ended.status), message(&ended));
        let is_terminal = ended.status.code() == Some(self.terminal_exit);
        Err(if is_terminal { failed.as_terminal() } else { failed })
    }
}

fn cannot_run(error: io::Error) -> JobError {
    JobError::named("CannotRun", error)
}

/// A command need not read its input, so a closed pipe is no error.
async fn feed(stdin: Option<ChildStdin>, payload: &Payload) -> Result<(), JobError> {
    if let Some(mut stdin) = stdin {
        drop(stdin.write_all(&payload.bytes).await);
    }
    Ok(())
}

/// What programs match on.
fn name(status: ExitStatus) -> &'static str {
    if status.code().is_some() { "ExitCode" } else { "Signal" }
}

/// `exit status: 3: the end of standard error`.
fn message(ended: &Ended) -> String {
    let errors = tail::text(&ended.errors, STDERR_BYTES_MAX);
    if errors.is_empty() { ended.status.to_string() } else { format!("{}: {errors}", ended.status) }
}
