//! Hints that something changed, as Server-Sent Events.

use crate::{
    problem::{Problem, ProblemKind, Result},
    routes::Call,
    service::App,
};
use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use queue_core::{EventStream, Hint, Interest, JobChange, State};
use serde_json::json;
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout},
};

/// How often a stream says that it still lives.
const ALIVE: Duration = Duration::from_secs(15);
/// How long a stream lasts at most, so that a token that has ended is noticed. Readers connect
/// again.
const STREAM_MAX: Duration = Duration::from_hours(1);

/// What a stream goes on with.
struct Feed {
    app: Arc<App>,
    hints: EventStream,
    /// What was not sent yet.
    ahead: Option<Bytes>,
    until: Instant,
    /// Of all, and of the token's share.
    _places: [OwnedSemaphorePermit; 2],
}

/// `GET /v1/queues/{queue}/events`
pub(crate) async fn events(app: Arc<App>, call: Call) -> Result<Response> {
    let queue = call.queue()?;
    let many = |what| Problem::new(ProblemKind::TooMany, what);
    let share = call.principal()?.begin_stream();
    let share = share.ok_or_else(|| many("this token has too many streams of events open"))?;
    let place = app.event_streams.clone().try_acquire_owned();
    let place = place.map_err(|_| many("too many streams of events are open"))?;
    let hints = app.storage.subscribe(&queue, Interest::All).await?;
    // A client that reconnects has missed the events in between.
    let was_away = call.headers.contains_key("last-event-id");
    let ahead = Some(if was_away { event("missed", "{}") } else { Bytes::from_static(b": open\n\n") });
    let feed = Feed { app, hints, ahead, until: Instant::now() + STREAM_MAX, _places: [place, share] };
    let body = Body::from_stream(stream::unfold(feed, Feed::next).map(Ok::<_, Infallible>));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

impl Feed {
    /// The next bytes, which are a comment after a quiet time; none at the end.
    async fn next(mut self) -> Option<(Bytes, Self)> {
        if let Some(ahead) = self.ahead.take() {
            return Some((ahead, self));
        }
        if Instant::now() >= self.until {
            return None;
        }
        let tasks = self.app.tasks.clone();
        let hint = tokio::select! {
            () = tasks.closing() => return None,
            hint = timeout(ALIVE, self.hints.next()) => hint,
        };
        let bytes = match hint {
            Ok(Some(hint)) => told(&hint),
            Ok(None) => return None,
            Err(_elapsed) => Bytes::from_static(b": alive\n\n"),
        };
        Some((bytes, self))
    }
}

fn told(hint: &Hint) -> Bytes {
    match hint {
        Hint::Wake => event("wake", "{}"),
        Hint::Missed => event("missed", "{}"),
        Hint::Job(change) => told_change(change),
        Hint::Completed(job) => told_change(&job.change()),
    }
}

fn told_change(JobChange { id, seq, revision, state }: &JobChange) -> Bytes {
    let state = state.map(State::as_str);
    let change = json!({"id": id.as_str(), "seq": seq.get(), "revision": revision, "state": state});
    event("job", &change.to_string())
}

/// The data has no line break, since JSON escapes them. The id makes a browser say that it was
/// away.
fn event(name: &str, data: &str) -> Bytes {
    format!("id: 1\nevent: {name}\ndata: {data}\n\n").into()
}
