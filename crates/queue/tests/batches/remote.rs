//! A store behind a server of this process, as `queue serve` offers it to remote stores.

use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use queue::{
    Storage,
    queue_remote::{RemoteOptions, RemoteStorage, StoreService},
};
use std::sync::Arc;
use tokio::{net::TcpListener, runtime::Handle, task::JoinSet};

/// The server ends with the runtime of the case.
pub(crate) async fn behind_a_server(store: Arc<dyn Storage>) -> Arc<dyn Storage> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
    Handle::current().spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).expect("it is open");
            let service = TowerToHyperService::new(StoreService::new(store.clone()));
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new());
            connections.spawn(builder.serve_connection(TokioIo::new(stream), service));
        }
    });
    let options = RemoteOptions::new(&url).expect("the URL is valid");
    Arc::new(RemoteStorage::open(options).await.expect("it answers"))
}
