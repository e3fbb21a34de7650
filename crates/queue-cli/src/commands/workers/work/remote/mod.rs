//! `queue work --server`: the same worker over the protocol `/v1`, with a token of the scope
//! `work`.
//!
//! It is one task that waits for everything at the same time: the claim, the commands with their
//! settles, the heartbeat and the announcement. A claim that nobody waits for any more is asked
//! after, and what it took goes back.

mod calls;
mod claims;
mod heartbeat;
mod held;
mod outcome;
mod protocol;
mod settle;

use super::{StopRequest, WorkArgs, exec::Exec, on_signal, tell_end};
use crate::{
    exit::{CliError, Exit},
    output::{self, Format, Output},
    service_address::ServiceAddress,
    session::Session,
    signals::StopSignals,
};
use calls::Calls;
use held::HeldJobs;
use queue::{Rng, SystemRng, worker::WorkerReport};
use queue_remote::{RemoteOptions, ServiceClient};
use serde_json::json;
use std::{cell::RefCell, pin::pin, time::Duration};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The shortest and the longest lease that a service gives.
const LEASES: std::ops::RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);

/// A worker of a service, with all that its parts share.
struct RemoteWorker<'a> {
    args: &'a WorkArgs,
    calls: Calls,
    /// The name of this run.
    name: String,
    queue: String,
    exec: Exec,
    held: HeldJobs,
    out: Output,
    /// The claim that is under way, or whose answer did not come.
    claim_id: RefCell<Option<String>>,
    /// Claims end.
    stop: CancellationToken,
}

pub(super) async fn run(
    args: &WorkArgs,
    server: &ServiceAddress,
    session: &Session,
    signals: &mut StopSignals,
) -> Result<Exit, CliError> {
    if args.prefetch > 0 {
        return Err(CliError::invalid("--prefetch holds jobs of a store; with --server leave it out"));
    }
    if !LEASES.contains(&args.lease) {
        return Err(CliError::invalid("--lease: a service gives leases of 1s to 1h"));
    }
    let client = ServiceClient::open(RemoteOptions::new(&server.store_url())?).await?;
    let kill = CancellationToken::new();
    let worker = RemoteWorker {
        args,
        calls: Calls::new(client),
        name: format!("queue-work-{:016x}", SystemRng.next_u64()),
        queue: session.name.to_string(),
        exec: args.exec(session, kill.clone()),
        held: HeldJobs::default(),
        out: session.out,
        claim_id: RefCell::default(),
        stop: CancellationToken::new(),
    };
    let (report, stopped) = worker.run(session, signals, kill).await?;
    tell_end(report, stopped, session)
}

impl RemoteWorker<'_> {
    async fn run(
        &self,
        session: &Session,
        signals: &mut StopSignals,
        kill: CancellationToken,
    ) -> Result<(WorkerReport, StopRequest), CliError> {
        let mut work = pin!(self.work());
        let mut beside = pin!(self.beside());
        let (mut stopped, mut cut_at) = (StopRequest::Never, None);
        let report = loop {
            tokio::select! {
                ended = &mut work => break ended,
                never = &mut beside => match never {},
                () = signals.next() => {
                    stopped = on_signal(stopped, session);
                    self.stop.cancel();
                    cut_at = cut_at.or(Some(Instant::now() + self.args.grace));
                    if stopped == StopRequest::Twice {
                        kill.cancel();
                    }
                }
                () = sleep_until(cut_at.unwrap_or_else(Instant::now)), if cut_at.is_some() && !kill.is_cancelled() => {
                    kill.cancel();
                }
            }
        };
        self.retire().await;
        Ok((report?, stopped))
    }

    async fn beside(&self) -> std::convert::Infallible {
        let (never, _) = tokio::join!(self.heartbeats(), self.announcements());
        never
    }

    /// Claims nothing more, and lets what runs end.
    fn drain(&self) {
        if !self.stop.is_cancelled() {
            self.tell(Some("draining on request".to_owned()), &json!({"event": "draining"}));
            self.stop.cancel();
        }
    }

    /// Tells people what they may want to act on, and programs everything.
    fn tell(&self, words: Option<String>, object: &serde_json::Value) {
        match self.out.format() {
            Format::Human => words.into_iter().for_each(output::note),
            // A reader that goes away must not stop the work.
            Format::Json => drop(self.out.object(object)),
        }
    }

    fn warn(&self, message: &str) {
        self.tell(Some(format!("warning: {message}")), &json!({"event": "error", "message": message}));
    }

    fn warn_and_try_again(&self, message: &str) {
        self.warn(&format!("{message}; trying again"));
    }
}
