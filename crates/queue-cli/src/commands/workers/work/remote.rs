//! `queue work --server`: the same worker over the protocol `/v1`, with a token of the scope
//! `work`.

use super::{StopRequest, WorkArgs, event, retry, router, stop_request::on_signals, tell_end, tell_start};
use crate::{
    exit::{CliError, Exit},
    service_address::ServiceAddress,
    session::Session,
    signals::StopSignals,
};
use queue::{
    RemoteOptions,
    service::{ProblemKind, ServiceError, ServiceWorker, ServiceWorkerBuilder},
};
use tokio_util::sync::CancellationToken;

pub(super) async fn run(
    args: &WorkArgs,
    server: &ServiceAddress,
    session: &Session,
    signals: &mut StopSignals,
) -> Result<Exit, CliError> {
    if args.prefetch > 0 {
        return Err(CliError::invalid("--prefetch holds jobs of a store; with --server leave it out"));
    }
    if args.store_wait.is_bounded() {
        return Err(CliError::invalid("--wait: with --server the worker waits by itself, without a bound"));
    }
    if !ServiceWorkerBuilder::LEASES.contains(&args.lease) {
        return Err(CliError::invalid("--lease: a service gives leases of 1s to 1h"));
    }
    let kill = CancellationToken::new();
    let worker = worker(args, server, session, kill.clone()).await?;
    let stop = worker.stop_token();
    let hurry = worker.hurry_token();
    let ask = |request| {
        if request == StopRequest::Twice {
            kill.cancel();
            hurry.cancel();
        } else {
            stop.cancel();
        }
    };
    tell_start(args, &server.url, session);
    let (report, stopped) = on_signals(worker.run(), ask, session, signals).await;
    tell_end(report?, stopped, session)
}

async fn worker(
    args: &WorkArgs,
    server: &ServiceAddress,
    session: &Session,
    kill: CancellationToken,
) -> Result<ServiceWorker, CliError> {
    let out = session.out;
    let service = RemoteOptions::new(&server.store_url())?;
    let builder = ServiceWorker::builder(service, session.name.clone(), router(args.exec(session, kill)))
        .name("queue-work")
        .concurrency(args.concurrency())
        .lease(args.lease)
        .poll_interval(args.poll)
        .drain_deadline(args.grace)
        .retry(retry(args)?)
        .on_event(event::shown(out));
    let builder = match args.time_limit {
        Some(limit) => builder.time_limit(limit),
        None => builder,
    };
    Ok(if args.drain { builder.until_empty() } else { builder }.build().await?)
}

impl From<ServiceError> for CliError {
    fn from(error: ServiceError) -> Self {
        let exit = match error.kind() {
            ProblemKind::Invalid
            | ProblemKind::Unauthorized
            | ProblemKind::Forbidden
            | ProblemKind::NotFound => Exit::Invalid,
            ProblemKind::Corrupt | ProblemKind::Unsupported => Exit::Unusable,
            ProblemKind::Internal => Exit::Bug,
            _ => Exit::Unavailable,
        };
        Self::new(exit, error.message())
    }
}
