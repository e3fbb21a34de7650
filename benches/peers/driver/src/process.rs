//! One process of a peer: one measurement, or why there is none.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// No measurement takes so long, with all that is prepared for it.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(90);

/// What a peer reports, without its settings.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Run {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) p50_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) p99_ms: Option<f64>,
    #[serde(default)]
    pub(crate) jobs: u64,
    #[serde(default)]
    pub(crate) seconds: f64,
    #[serde(default, skip_serializing)]
    pub(crate) settings: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) not_offered: bool,
    /// Why there is no figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl Run {
    pub(crate) fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }
}

/// Runs a peer, no longer than is given. One that cannot be started, hangs or breaks is a run that
/// says so.
pub(crate) fn run(command: &mut Command, time_max: Duration) -> Run {
    report(command, time_max).unwrap_or_else(|error| Run::failed(format!("{error:#}")))
}

fn report(command: &mut Command, time_max: Duration) -> Result<Run> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().context("it does not start")?;
    let text = output(&mut child, time_max);
    // A process that has ended already cannot be killed, which is fine.
    drop(child.kill());
    let status = child.wait()?;
    let Some(text) = text? else {
        return Ok(Run::failed(format!("killed after {} s", time_max.as_secs())));
    };
    match text.lines().rev().find(|line| line.starts_with('{')) {
        Some(line) => serde_json::from_str(line).context("its report is not one"),
        None => Ok(Run::failed(format!("it ended with {status} and no report"))),
    }
}

/// All of its standard output; nothing if it is not at its end in time.
fn output(child: &mut Child, time_max: Duration) -> Result<Option<String>> {
    let mut pipe = child.stdout.take().context("it has no output")?;
    let (sender, receiver) = mpsc::channel();
    // Ends with the process, which the caller ends.
    let reader = thread::Builder::new().name("peer-output".to_owned());
    reader.spawn(move || {
        let mut text = String::new();
        let read = pipe.read_to_string(&mut text);
        // Once it is too late the channel has no receiver.
        drop(sender.send(read.map(|_| text)));
    })?;
    Ok(receiver.recv_timeout(time_max).ok().transpose()?)
}

#[cfg(test)]
mod tests {
    use super::{Run, run};
    use std::process::Command;
    use std::time::Duration;

    fn of_shell(script: &str, time_max: Duration) -> Run {
        run(Command::new("sh").args(["-c", script]), time_max)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn the_last_object_is_the_report() {
        let said = of_shell(r#"echo starting; echo '{"rate": 2.5, "jobs": 5, "seconds": 2.0}'"#, LONG);
        assert_eq!((said.rate, said.jobs, said.error), (Some(2.5), 5, None));
    }

    #[test]
    fn a_peer_that_breaks_hangs_or_is_missing_is_told_apart() {
        for (said, words) in [
            (of_shell("exit 3", LONG), "no report"),
            (of_shell("echo '{'", LONG), "not one"),
            (of_shell("exec sleep 600", Duration::from_millis(50)), "killed"),
            (run(&mut Command::new("no-such-program"), LONG), "does not start"),
        ] {
            let error = said.error.expect("no figure");
            assert!(error.contains(words), "{error}");
        }
    }
}
