//! Stands between the remote store and its server: counts requests and makes faults.

use super::served::Served;
use parking_lot::Mutex;
use queue_e2e::{WholeRequest, foreign_answer};
use serde_json::Value;
use std::{io, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// A proxy until it is dropped.
pub(crate) struct Proxy {
    pub(crate) address: String,
    shared: Arc<Shared>,
    _serving: JoinSet<()>,
}

struct Shared {
    server: Arc<Served>,
    state: Mutex<ProxyState>,
}

#[derive(Default)]
struct ProxyState {
    faults: Vec<Fault>,
    verbs: Vec<String>,
}

struct Fault {
    on: String,
    does: String,
    left: u64,
    status: u64,
    content_type: String,
    body: String,
}

/// The verb of the store that does what a call of the protocol does.
pub(crate) fn verb(path: &str) -> &str {
    match path {
        "/jobs" => "/enqueue",
        "/jobs:wait" => "/get",
        "/settle" | "/extend" | "/jobs:cancel" => "/apply",
        other => other,
    }
}

impl Proxy {
    pub(crate) async fn start(server: Arc<Served>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it listens").to_string();
        let shared = Arc::new(Shared { server, state: Mutex::default() });
        let mut serving = JoinSet::new();
        let of_task = shared.clone();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let shared = of_task.clone();
                connections.spawn(async move { drop(shared.serve(client).await) });
            }
        });
        Self { address, shared, _serving: serving }
    }

    pub(crate) fn fault(&self, said: &Value) {
        let on = verb(said["on"].as_str().expect("a path")).to_owned();
        let does = said["do"].as_str().expect("what it does").to_owned();
        let mut state = self.shared.state.lock();
        if does == "none" {
            state.faults.retain(|fault| fault.on != on);
            return;
        }
        let left = said["times"].as_u64().unwrap_or(1);
        let (answer, body) = match &said["answer"] {
            Value::Null => (said, said["body"].to_string()),
            answer => (answer, answer["body_text"].as_str().expect("a text").to_owned()),
        };
        let status = answer["status"].as_u64().unwrap_or(503);
        let content_type = answer["content_type"].as_str().unwrap_or("application/problem+json").to_owned();
        state.faults.push(Fault { on, does, left, status, content_type, body });
    }

    /// How many requests there were to the verb of a path.
    pub(crate) fn count(&self, path: &str) -> usize {
        let state = self.shared.state.lock();
        state.verbs.iter().filter(|asked| asked.ends_with(verb(path))).count()
    }
}

impl Shared {
    /// One request; connections are not kept.
    async fn serve(&self, mut client: TcpStream) -> io::Result<()> {
        let request = WholeRequest::read(&mut client).await?;
        let (does, answer) = self.next(&request.path());
        match does.as_deref() {
            Some("refuse") => return Ok(()),
            Some("answer") => return client.write_all(answer.as_bytes()).await,
            _ => {}
        }
        let mut upstream = request.forward(&self.server.address).await?;
        if does.is_some() {
            let mut unheard = Vec::new();
            upstream.read_to_end(&mut unheard).await?;
            let is_replaced = does.as_deref() == Some("replace_answer");
            return if is_replaced { client.write_all(answer.as_bytes()).await } else { Ok(()) };
        }
        tokio::io::copy_bidirectional(&mut client, &mut upstream).await.map(drop)
    }

    /// What happens to a request, and the answer that a fault gives.
    fn next(&self, path: &str) -> (Option<String>, String) {
        let mut state = self.state.lock();
        state.verbs.push(path.to_owned());
        let fault = state.faults.iter_mut().find(|fault| fault.left > 0 && path.ends_with(&fault.on));
        let Some(fault) = fault else { return (None, String::new()) };
        fault.left -= 1;
        let Fault { status, content_type, body, .. } = &*fault;
        (Some(fault.does.clone()), foreign_answer(*status, content_type, body))
    }
}
