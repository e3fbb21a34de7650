//! `--watch`: repeats an answer.

use crate::{
    exit::{CliError, Exit},
    output::Output,
    parse,
    signals::StopSignals,
};
use clap::Args;
use std::time::Duration;
use tokio::time::sleep;

/// The shortest interval between two readings of the store.
const INTERVAL_MIN: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct WatchArgs {
    /// Repeat after this time, or every 2s, until interrupted; on a terminal the new answer
    /// replaces the old one
    #[arg(
        long,
        value_name = "TIME",
        value_parser = interval,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "2s"
    )]
    watch: Option<Duration>,
}

impl WatchArgs {
    pub(super) fn is_on(self) -> bool {
        self.watch.is_some()
    }

    /// Answers once, or until a signal arrives, which ends such a command with success. The first
    /// error ends it too.
    pub(super) async fn run(
        self,
        out: Output,
        look: impl AsyncFn(Output) -> Result<(), CliError>,
    ) -> Result<Exit, CliError> {
        let Some(interval) = self.watch else {
            look(out).await?;
            return Ok(Exit::Ok);
        };
        let mut signals = StopSignals::listen()?;
        loop {
            tokio::select! {
                looked = look(out.live()) => looked?,
                () = signals.next() => return Ok(Exit::Ok),
            }
            tokio::select! {
                () = sleep(interval) => {}
                () = signals.next() => return Ok(Exit::Ok),
            }
        }
    }
}

fn interval(text: &str) -> Result<Duration, String> {
    let interval = parse::duration(text)?;
    if interval < INTERVAL_MIN { Err(format!("give at least {INTERVAL_MIN:?}")) } else { Ok(interval) }
}
