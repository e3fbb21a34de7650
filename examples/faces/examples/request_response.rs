//! A reliable request/response queue: `cargo run --example request_response [STORE_URL]`.

use queue_faces::{Result, Stage, request_response};

#[tokio::main]
async fn main() -> Result {
    let stage = Stage::from_args("request-response").await?;
    request_response::demo(&stage).await?;
    stage.clear().await
}
