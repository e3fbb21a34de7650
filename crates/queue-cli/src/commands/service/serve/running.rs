//! A server at work: its messages, its signals, and its end.

use super::{demo::Demo, front::Front};
use crate::{
    exit::{CliError, Exit},
    output::{self, Format, Output, plural},
    signals::{ReloadSignal, StopSignals},
};
use queue::worker::WorkerReport;
use queue_http::{AccessControl, AccessError, Door, Lifecycle, ReceiptKeys, Server, Service, TlsReload};
use queue_web::Dashboard;
use serde_json::json;
use std::{path::PathBuf, pin::pin, sync::Arc};
use tokio_util::sync::CancellationToken;

/// The warning of a server without a key file.
const MADE_UP: &str = "warning: receipts and sessions have a key made up now: they end with this process, and no other server knows them; --key-file keeps them";

/// The message of a server whose store has closed its handle.
const STORE_GONE: &str = "the store has closed for good: stopping, to be started again";

/// A server with all that it needs.
pub(super) struct Running {
    pub(super) server: Server,
    pub(super) service: Service,
    pub(super) control: AccessControl,
    pub(super) dashboard: Option<Dashboard>,
    pub(super) demo: Option<Demo>,
    pub(super) files: Files,
    pub(super) out: Output,
}

/// What a signal reads again.
pub(super) struct Files {
    pub(super) door: Door,
    pub(super) keys: Arc<ReceiptKeys>,
    pub(super) key_file: Option<PathBuf>,
    pub(super) tls: TlsReload,
}

impl Running {
    /// Serves until a signal, and then until what it serves has ended.
    pub(super) async fn serve(
        self,
        stop: &mut StopSignals,
        mut reload: ReloadSignal,
    ) -> Result<Exit, CliError> {
        let Self { server, service, control, dashboard, demo, files, out } = self;
        tell_start(&server, &files, out)?;
        let lifecycle = server.lifecycle();
        // Changes by filter are jobs, and a client that asks for one through the service has no
        // worker for it.
        let operations = service.operations().worker().build()?;
        let stop_operations = operations.stop_token();
        let work = async {
            tokio::join!(
                server.run(Front::new(control.guard(&service), dashboard.clone())),
                close_with(&lifecycle, &service, dashboard.as_ref(), &stop_operations)
            )
        };
        let made_up = run_demo(demo, stop_operations.clone());
        // A handle that the store has closed stays closed, so the worker ends. The server ends too,
        // so that a supervisor can start one that opens the store again.
        let operated = async {
            let report = operations.run().await;
            if report.error.is_some() {
                tell(out, STORE_GONE.to_owned(), &json!({"event": "store_closed"}));
                service.become_unready();
                lifecycle.stop();
            }
            report
        };
        let mut work = pin!(async { tokio::join!(work, operated, made_up) });
        let ((cut, ()), report, ()) = loop {
            tokio::select! {
                ended = &mut work => break ended,
                () = stop.next() => {
                    if on_stop(&lifecycle, &service, out) == StopRequest::Second {
                        return Ok(Exit::Interrupted);
                    }
                }
                () = reload.next() => files.read_again(out),
            }
        };
        tell_end(cut, report, out)
    }
}

/// Ends what the service does beside its requests, in step with the server.
async fn close_with(
    lifecycle: &Lifecycle,
    service: &Service,
    dashboard: Option<&Dashboard>,
    stop_operations: &CancellationToken,
) {
    lifecycle.closing().await;
    stop_operations.cancel();
    if let Some(dashboard) = dashboard {
        dashboard.close();
    }
    service.close().await;
}

async fn run_demo(demo: Option<Demo>, stop: CancellationToken) {
    if let Some(demo) = demo {
        demo.run(stop).await;
    }
}

/// How often a signal has asked the server to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StopRequest {
    First,
    Second,
}

/// The first request begins to drain; at the second one the caller drops what is left.
fn on_stop(lifecycle: &Lifecycle, service: &Service, out: Output) -> StopRequest {
    let (request, words) = if lifecycle.is_ready() {
        (StopRequest::First, "stopping: requests are answered first; another signal cuts them")
    } else {
        (StopRequest::Second, "stopping now: requests are cut")
    };
    service.become_unready();
    lifecycle.stop();
    if out.format() == Format::Human {
        output::note(words);
    }
    request
}

impl Files {
    /// Reads all files again. A file that cannot be used changes nothing, and is reported.
    fn read_again(&self, out: Output) {
        let tokens = match &self.door {
            Door::Tokens(tokens) => tokens.reload().map(drop),
            Door::Anybody => Ok(()),
        };
        let keys = self.key_file.as_ref().map_or(Ok(()), |path| self.keys.reload(path));
        let failures: Vec<AccessError> =
            [tokens, keys, self.tls.reload()].into_iter().filter_map(Result::err).collect();
        for error in &failures {
            tell(
                out,
                format!("not read again: {error}"),
                &json!({"event": "reload", "error": error.to_string()}),
            );
        }
        if failures.is_empty() {
            tell(out, "read again: tokens, keys and certificates".to_owned(), &json!({"event": "reload"}));
        }
    }
}

fn tell(out: Output, words: String, object: &serde_json::Value) {
    match out.format() {
        Format::Human => output::note(words),
        Format::Json => output::note_object(object),
    }
}

fn tell_start(server: &Server, files: &Files, out: Output) -> Result<(), CliError> {
    let addresses: Vec<String> = server.addresses()?.iter().map(ToString::to_string).collect();
    let urls = server.urls()?;
    let key_file = files.key_file.as_ref().map(|path| path.display().to_string());
    if out.format() == Format::Human {
        output::note(match &key_file {
            Some(path) => format!("the keys of receipts and sessions are in {path}"),
            None => MADE_UP.to_owned(),
        });
    }
    out.answer(
        || format!("listening at {}", urls.join(" and ")),
        || json!({"event": "listening", "addresses": addresses, "urls": urls, "key_file": key_file}),
    )?;
    Ok(())
}

fn tell_end(cut: usize, report: WorkerReport, out: Output) -> Result<Exit, CliError> {
    let cut = cut as u64;
    out.answer(
        || {
            if cut == 0 {
                "stopped".to_owned()
            } else {
                format!("stopped; cut {}", plural(cut, "connection", "connections"))
            }
        },
        || json!({"event": "stopped", "connections_cut": cut}),
    )?;
    match report.error {
        Some(error) => Err(error.into()),
        None => Ok(if cut == 0 { Exit::Ok } else { Exit::Interrupted }),
    }
}
