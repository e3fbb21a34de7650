//! A task queue with typed handlers: `cargo run --example task_queue [STORE_URL]`.

use queue_faces::{Result, Stage, task_queue};

#[tokio::main]
async fn main() -> Result {
    let stage = Stage::from_args("task-queue").await?;
    task_queue::demo(&stage).await?;
    stage.clear().await
}
