//! A durable work queue with a processor: `cargo run --example work_queue [STORE_URL]`.

use queue_faces::{Result, Stage, work_queue};

#[tokio::main]
async fn main() -> Result {
    let stage = Stage::from_args("work-queue").await?;
    work_queue::demo(&stage).await?;
    stage.clear().await
}
