//! Serves a store without tokens to every program on this machine, for trying out clients.
//!
//! `cargo run -p queue-http --example serve -- memory: 127.0.0.1:8080`

use queue_core::SystemRng;
use queue_http::{Principal, ReceiptKeys, Service};
use std::env::args;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = args().nth(1).unwrap_or_else(|| "memory:".to_owned());
    let address = args().nth(2).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(&address).await?;
    if !listener.local_addr()?.ip().is_loopback() {
        return Err("this example has no tokens, so it listens to this machine alone".into());
    }
    let service = Service::new(queue::open(&store).await?, ReceiptKeys::generate(&SystemRng));
    let calls = axum::Router::new().fallback_service(service.as_principal(Principal::anybody()));
    let operations = service.operations().worker().build()?;
    println!("{store} at http://{}", listener.local_addr()?);
    tokio::select! {
        served = axum::serve(listener, calls).into_future() => served?,
        _ended = operations.run() => {}
    }
    Ok(())
}
