//! The connections of a handle, for each runtime that calls.

use super::{connector::Connector, upload::Upload};
use crate::options::RemoteOptions;
use http::Request;
use hyper_util::{
    client::legacy::{Client, ResponseFuture},
    rt::{TokioExecutor, TokioTimer},
};
use queue_store::{PerRuntime, RuntimePart};
use std::time::Duration;

/// How long a connection is kept that no call uses: shorter than servers and proxies keep theirs,
/// so that few calls go out on a connection that is just being closed.
const IDLE_MAX: Duration = Duration::from_secs(15);

/// Connections to the server, which are made as they are needed and kept for a while. A connection
/// is served by a task of the runtime that made it, so each runtime has its own: a call never waits
/// for a runtime that stands still, and is not sent by one that has ended.
#[derive(Debug)]
pub(super) struct Connections {
    connector: Connector,
    runtimes: PerRuntime<RuntimeClient>,
}

/// The connections of one runtime.
struct RuntimeClient(Client<Connector, Upload>);

impl Connections {
    /// Makes none yet.
    pub(super) fn new(options: &RemoteOptions) -> Self {
        let certificates = options.certificates.clone();
        let connector = Connector::new(options.endpoint.clone(), certificates, options.connect_timeout);
        Self { connector, runtimes: PerRuntime::default() }
    }

    /// Sends a request on an idle connection of the runtime that calls, or on a new one.
    pub(super) fn request(&self, request: Request<Upload>) -> ResponseFuture {
        self.runtimes.here(|| RuntimeClient::new(self.connector.clone())).0.request(request)
    }
}

impl RuntimeClient {
    fn new(connector: Connector) -> Self {
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE_MAX);
        Self(client.build(connector))
    }
}

/// Its connections end with the tasks that serve them.
impl RuntimePart for RuntimeClient {}
