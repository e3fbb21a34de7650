//! A server that reports to the test what it received.

use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub(crate) struct Server {
    address: SocketAddr,
    lines: mpsc::UnboundedReceiver<String>,
    tasks: JoinSet<()>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (heard, lines) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, heard));
        Self { address, lines, tasks }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next line from any client.
    pub(crate) async fn next_line(&mut self) -> String {
        self.lines.recv().await.expect("the server runs")
    }

    pub(crate) async fn stop(mut self) {
        self.tasks.shutdown().await;
    }
}

async fn serve(listener: TcpListener, heard: mpsc::UnboundedSender<String>) {
    let mut clients = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.expect("it listens");
        clients.spawn(answer(client, heard.clone()));
    }
}

async fn answer(client: TcpStream, heard: mpsc::UnboundedSender<String>) {
    let (reader, mut writer) = client.into_split();
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let reply = line.to_uppercase() + "\n";
        drop(heard.send(line));
        if writer.write_all(reply.as_bytes()).await.is_err() {
            return;
        }
    }
}
