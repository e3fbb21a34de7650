//! Serves a store to programs of the same build: the smallest server around `StoreService`.
//!
//! ```sh
//! cargo run --example serve_store --features server -- jobs.db 127.0.0.1:7070
//! cargo run --example serve_store --features server -- memory: unix:/tmp/queue.sock
//! ```
//!
//! It checks no identity of its callers, so it listens on loopback or on a socket alone.

use hyper::{rt::Read, rt::Write, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use queue_core::Storage;
use queue_memory::MemoryStorage;
use queue_remote::StoreService;
use queue_sqlite::{SqliteOptions, SqliteStorage};
use std::{env, error::Error, net::SocketAddr, sync::Arc};
use tokio::{
    net::{TcpListener, UnixListener},
    task::JoinSet,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [store, place] = args.as_slice() else {
        return Err("usage: serve_store <FILE or memory:> <IP:PORT or unix:PATH>".into());
    };
    let store: Arc<dyn Storage> = match store.as_str() {
        "memory:" => Arc::new(MemoryStorage::new()),
        path => Arc::new(SqliteStorage::open(SqliteOptions::new(path)).await?),
    };
    let service = StoreService::new(store);
    let mut connections = JoinSet::new();
    if let Some(path) = place.strip_prefix("unix:") {
        // The socket of a server that was killed.
        drop(std::fs::remove_file(path));
        let listener = UnixListener::bind(path)?;
        println!("serving on {path}");
        loop {
            let (stream, _) = listener.accept().await?;
            connections.spawn(serve(TokioIo::new(stream), service.clone()));
            while connections.try_join_next().is_some() {}
        }
    }
    let address: SocketAddr = place.parse()?;
    if !address.ip().is_loopback() {
        return Err("anybody on the network could use it; give an address of loopback".into());
    }
    let listener = TcpListener::bind(address).await?;
    println!("serving on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        connections.spawn(serve(TokioIo::new(stream), service.clone()));
        while connections.try_join_next().is_some() {}
    }
}

/// Until the other side goes; how it went does not matter.
async fn serve(stream: impl Read + Write + Unpin + 'static, service: StoreService) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new());
    drop(builder.serve_connection(stream, TowerToHyperService::new(service)).await);
}
