//! The visibility timeout as a primitive, and three patterns:
//! `cargo run --example visibility [STORE_URL]`.

use queue_faces::{Result, Stage, visibility};

#[tokio::main]
async fn main() -> Result {
    let stage = Stage::from_args("visibility").await?;
    visibility::demo(&stage).await?;
    stage.clear().await
}
