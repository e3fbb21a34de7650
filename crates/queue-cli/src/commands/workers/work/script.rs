//! The start of the shell command for one job: its environment, its pipes and its process group.

use super::started_job::StartedJob;
use crate::{
    guardian::Guardian, process_group::ProcessGroup, service_address::ServiceAddress, session::Session,
};
use queue::Payload;
use std::{io, process::Stdio};
use tokio::process::{Child, Command};

/// The largest payload in `$QUEUE_PAYLOAD`: Linux refuses to start a program with a variable over
/// 128 KiB.
const VARIABLE_BYTES_MAX: usize = 64 << 10;

/// A shell command, and the environment that every run of it gets.
#[derive(Debug)]
pub(super) struct Script {
    line: String,
    /// The store, unless there is a service.
    store: String,
    server: Option<ServiceAddress>,
    queue: String,
    guardian: Guardian,
}

impl Script {
    pub(super) fn new(line: &str, session: &Session) -> Self {
        Self {
            line: line.to_owned(),
            store: session.url.clone(),
            server: session.server.clone(),
            queue: session.name.to_string(),
            guardian: Guardian::start(session.out.format()),
        }
    }

    /// Starts the command for a job, as the leader of a process group, so that a signal for the
    /// worker does not hit it, and a signal for it hits all that it started.
    pub(super) fn start(&self, payload: &Payload, job: &StartedJob) -> io::Result<(Child, ProcessGroup)> {
        let mut command = Command::new("sh");
        self.name_the_store(&mut command);
        command
            .arg("-c")
            .arg(&self.line)
            .env("QUEUE_NAME", &self.queue)
            .env("QUEUE_ID", &job.id)
            .env("QUEUE_KIND", &job.kind)
            .env("QUEUE_ATTEMPT", job.attempt.to_string())
            // The worker may itself run as a job, whose payload must not be taken for this one.
            .env_remove("QUEUE_PAYLOAD")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(text) = as_variable(&payload.bytes) {
            command.env("QUEUE_PAYLOAD", text);
        }
        let child = command.spawn()?;
        let group = ProcessGroup::of(&child, &self.guardian);
        Ok((child, group))
    }

    /// Lets `queue` commands of the script reach what its worker reaches.
    fn name_the_store(&self, command: &mut Command) {
        let Some(ServiceAddress { url, token_file }) = &self.server else {
            command.env("QUEUE_STORE", &self.store).env_remove("QUEUE_SERVER");
            return;
        };
        command.env("QUEUE_SERVER", url).env_remove("QUEUE_STORE");
        match token_file {
            Some(file) => command.env("QUEUE_TOKEN_FILE", file),
            None => command.env_remove("QUEUE_TOKEN_FILE"),
        };
    }
}

/// The payload as a variable, if a variable can hold it.
fn as_variable(bytes: &[u8]) -> Option<&str> {
    let fits = bytes.len() <= VARIABLE_BYTES_MAX && !bytes.contains(&0);
    std::str::from_utf8(bytes).ok().filter(|_| fits)
}

#[cfg(test)]
mod tests {
    use super::{VARIABLE_BYTES_MAX, as_variable};

    #[test]
    fn a_variable_holds_short_text_without_zero_bytes() {
        assert_eq!(as_variable("é\n".as_bytes()), Some("é\n"));
        assert_eq!(as_variable(b""), Some(""));
        assert_eq!(as_variable(b"a\0b"), None);
        assert_eq!(as_variable(&[0xff]), None);
        assert!(as_variable(&vec![b'x'; VARIABLE_BYTES_MAX]).is_some());
        assert_eq!(as_variable(&vec![b'x'; VARIABLE_BYTES_MAX + 1]), None);
    }
}
