//! A FIFO with visibility timeout and an HTTP API: `cargo run --example fifo [STORE_URL]`.

use queue_faces::{Result, Stage, fifo};

#[tokio::main]
async fn main() -> Result {
    let stage = Stage::from_args("fifo").await?;
    fifo::demo(&stage).await?;
    stage.clear().await
}
