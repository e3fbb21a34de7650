//! The stream that makes a page refresh.
//!
//! It sends a message when something changed, at most once a second, and for how long the store has
//! not answered. All streams of a store share the reads behind it. It needs no event feed from the
//! store, so it works the same on every store.

use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::Visit,
};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use http_body::Frame;
use http_body_util::StreamBody;
use queue_core::{QueueStatus, State};
use queue_http::AnswerBody;
use queue_view::words::age;
use std::{
    convert::Infallible,
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, timeout},
};

/// How often a stream looks.
const PAUSE: Duration = Duration::from_secs(1);
/// A store that takes longer does not answer, as a person sees it.
const ANSWER_MAX: Duration = Duration::from_secs(2);
/// The longest time without a refresh while no count changes. Counts do not show everything: jobs
/// age, and workers arrive.
const AT_LEAST: Duration = Duration::from_secs(10);
/// How long a stream lives before the browser has to ask again, with a token that still counts.
const STREAM_MAX: Duration = Duration::from_mins(10);
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

struct ChangeFeed {
    visit: Visit,
    seen: Option<u64>,
    told: Instant,
    /// When the store last answered, or when the page was read.
    good: Instant,
    is_stale: bool,
    until: Instant,
    /// Of all, and of the visitor's share.
    _places: (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>),
}

/// `GET /changes`
pub(crate) async fn changes(visit: Visit) -> Result<Answer> {
    if visit.field("queue").is_some() {
        visit.queue()?;
    }
    let busy = || {
        let words = "Too many pages are open; this one does not refresh itself.";
        WebProblem::new(StatusCode::SERVICE_UNAVAILABLE, words)
    };
    let share = match visit.principal() {
        Some(principal) => Some(principal.open_tab().ok_or_else(busy)?),
        None => None,
    };
    let place = visit.app.streams.clone().try_acquire_owned().map_err(|_| busy())?;
    let now = Instant::now();
    let feed = ChangeFeed {
        visit,
        seen: None,
        told: now,
        good: now,
        is_stale: false,
        until: now + STREAM_MAX,
        _places: (place, share),
    };
    let open = stream::iter([Bytes::from_static(b"retry: 3000\n\n")]);
    let stream = open.chain(stream::unfold(feed, ChangeFeed::next));
    let body = StreamBody::new(stream.map(|bytes| Ok::<_, Infallible>(Frame::data(bytes))));
    let mut answer = answer::of(StatusCode::OK, Bytes::new());
    *answer.body_mut() = AnswerBody::wrap(body);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    Ok(answer)
}

impl ChangeFeed {
    async fn next(mut self) -> Option<(Bytes, Self)> {
        let closing = self.visit.app.closing.clone();
        let principal = self.visit.principal().cloned();
        let ended = async {
            match &principal {
                Some(principal) => principal.ended().await,
                None => std::future::pending().await,
            }
        };
        let over = async {
            tokio::select! {
                () = closing.cancelled() => {}
                () = ended => {}
            }
        };
        tokio::pin!(over);
        while Instant::now() < self.until {
            let pause = if self.seen.is_none() && !self.is_stale { Duration::ZERO } else { PAUSE };
            if timeout(pause, &mut over).await.is_ok() {
                return None;
            }
            if let Some(event) = self.look().await {
                return Some((event, self));
            }
        }
        None
    }

    /// Looks once. The event that the page gets, if there is anything to say: `live` once the
    /// store has answered, `changed` when the page is to be read again, and `stale` at each look
    /// that is not answered.
    async fn look(&mut self) -> Option<Bytes> {
        let Ok(Ok(now)) = timeout(ANSWER_MAX, self.fingerprint()).await else {
            self.is_stale = true;
            let words = format!("The store has not answered for {}.", age(self.good.elapsed()));
            return Some(Bytes::from(format!("event: stale\ndata: {words}\n\n")));
        };
        self.good = Instant::now();
        let is_back = std::mem::take(&mut self.is_stale);
        let before = self.seen.replace(now);
        if is_back || before.is_some_and(|before| before != now) || self.told.elapsed() >= AT_LEAST {
            self.told = Instant::now();
            return Some(Bytes::from_static(b"event: changed\ndata: {}\n\n"));
        }
        before.is_none().then(|| Bytes::from_static(b"event: live\ndata: {}\n\n"))
    }

    async fn fingerprint(&self) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        if self.visit.field("queue").is_some() {
            if let Some(queue) = self.visit.status_of(&self.visit.queue()?).await? {
                hash(&queue, &mut hasher);
            }
        } else {
            for queue in &self.visit.queues().await?.queues {
                hash(queue, &mut hasher);
            }
        }
        Ok(hasher.finish())
    }
}

fn hash(QueueStatus { name, pause, paused_kinds, counts }: &QueueStatus, hasher: &mut DefaultHasher) {
    (name.as_str(), pause.is_on(), paused_kinds.len(), counts.scheduled, counts.gated).hash(hasher);
    State::ALL.map(|state| counts.of(state)).hash(hasher);
}
