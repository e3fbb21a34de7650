//! The HTTP API of the FIFO: its routes, and its answers to errors.

use super::Fifo;
use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use queue::{Error, ErrorKind, JobMeta};
use serde_json::{Value, json};
use std::{io, sync::Arc};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Most tasks that `GET /tasks/pending` lists.
const PENDING_MAX: usize = 100;

/// The HTTP API of a FIFO: `POST /tasks`, `GET /tasks/pending` and `GET /tasks/{id}`.
pub fn router(fifo: Arc<Fifo>) -> Router {
    Router::new()
        .route("/tasks", post(submit))
        .route("/tasks/pending", get(pending))
        .route("/tasks/{id}", get(show))
        .with_state(fifo)
}

/// Serves the API until `stop` fires and the requests under way are answered.
pub async fn serve(listener: TcpListener, fifo: Arc<Fifo>, stop: CancellationToken) -> io::Result<()> {
    axum::serve(listener, router(fifo)).with_graceful_shutdown(stop.cancelled_owned()).await
}

/// Accepted means durable: the answer is sent once the store has the task.
async fn submit(
    State(fifo): State<Arc<Fifo>>,
    Json(payload): Json<Value>,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    let id = fifo.enqueue(payload).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": id.as_str() }))))
}

async fn pending(State(fifo): State<Arc<Fifo>>) -> Result<Json<Value>, Refusal> {
    let tasks = fifo.pending(PENDING_MAX).await?;
    Ok(Json(tasks.iter().map(shown).collect()))
}

async fn show(State(fifo): State<Arc<Fifo>>, Path(id): Path<String>) -> Result<Response, Refusal> {
    let status = fifo.status(&id).await?;
    let shown = status.map(|status| Json(shown(&status.meta)).into_response());
    Ok(shown.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response()))
}

fn shown(task: &JobMeta) -> Value {
    json!({ "id": task.id.as_str(), "state": task.state.as_str(), "attempts": task.attempts_made() })
}

/// An error of the queue as an HTTP answer.
struct Refusal(Error);

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self.0.kind() {
            ErrorKind::Invalid => StatusCode::BAD_REQUEST,
            ErrorKind::Unavailable | ErrorKind::Closed => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(json!({ "error": self.0.to_string() }))).into_response()
    }
}
