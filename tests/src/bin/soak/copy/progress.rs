//! A copy in a process, or in a runtime where a store is in memory, that is killed at some point.

use super::copy;
use crate::{
    failed::{Failed, require},
    many::{Runner, StorePlace, YieldingStore},
};
use queue::{CopyPhase, CopyProgress, CopyReport};
use std::{fmt, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
};

/// What a copy says.
#[derive(Clone, Debug)]
pub(super) enum CopyLine {
    /// It has sent so many jobs.
    At(u64),
    /// It compares.
    Verifying,
    /// It is done, and this is its report.
    Done(String),
}

impl CopyLine {
    pub(super) fn of_step(step: &CopyProgress<'_>) -> Self {
        if step.phase == CopyPhase::Copying { Self::At(step.done) } else { Self::Verifying }
    }

    pub(super) fn of_report(report: &CopyReport) -> Self {
        let queues = report.queues.iter().map(|queue| {
            let [stored, present, held] = [queue.stored, queue.present, queue.held];
            format!("stored {stored}, present {present}, given back {held}, target {}", queue.target)
        });
        let verified = if report.is_verified() { "verified" } else { "DIFFERS" };
        Self::Done(format!("{verified}: {}", queues.collect::<Vec<_>>().join("; ")))
    }

    fn parse(line: &str) -> Option<Self> {
        match line.split_once(' ') {
            Some(("at", done)) => Some(Self::At(done.parse().ok()?)),
            Some(("done", report)) => Some(Self::Done(report.to_owned())),
            _ => (line == "verifying").then_some(Self::Verifying),
        }
    }
}

impl fmt::Display for CopyLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(done) => write!(f, "at {done}"),
            Self::Verifying => f.write_str("verifying"),
            Self::Done(report) => write!(f, "done {report}"),
        }
    }
}

/// Copies until so many jobs were sent, and kills the copy; or until it is done and verified.
pub(super) async fn copy_until(
    from: &StorePlace,
    to: &StorePlace,
    point: Option<u64>,
) -> Result<CopyLine, Failed> {
    let (runner, mut lines) = start(from, to).await?;
    while let Some(line) = lines.recv().await {
        match line {
            CopyLine::At(done) if point.is_some_and(|point| done >= point) => {
                runner.kill().await?;
                return Ok(CopyLine::At(done));
            }
            CopyLine::Done(report) => {
                require(report.starts_with("verified"), || report.clone())?;
                runner.wait().await?;
                return Ok(CopyLine::Done(report));
            }
            CopyLine::At(_) | CopyLine::Verifying => {}
        }
    }
    Err("the copy ended without a report".into())
}

async fn start(from: &StorePlace, to: &StorePlace) -> Result<(Runner, UnboundedReceiver<CopyLine>), Failed> {
    let (sender, lines) = unbounded_channel();
    if !from.kind.is_shared() || !to.kind.is_shared() {
        let (from, to) = (YieldingStore(from.open().await?), YieldingStore(to.open().await?));
        let copying = async move {
            let told = sender.clone();
            if let Err(error) = copy(Arc::new(from), Arc::new(to), move |line| drop(told.send(line))).await {
                eprintln!("the copy failed: {error}");
            }
        };
        return Ok((Runner::runtime(copying)?, lines));
    }
    let mut runner = Runner::process(&["copier", "--from", &from.url, "--to", &to.url])?;
    let output = runner.output().ok_or("a process has an output")?;
    let mut output = BufReader::new(output).lines();
    let mut reading = tokio::task::JoinSet::new();
    reading.spawn(async move {
        while let Ok(Some(line)) = output.next_line().await {
            CopyLine::parse(&line).map(|line| sender.send(line));
        }
    });
    reading.detach_all();
    Ok((runner, lines))
}
