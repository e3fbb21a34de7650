//! The stream of hints.

use crate::client::Client;
use axum::{
    body::Body,
    http::{Request, StatusCode},
};
use futures_util::StreamExt;
use http_body_util::BodyExt;
use queue_http::{Principal, ServiceLimits};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;
use tower::ServiceExt;

/// A stream of the events of the queue `q`, as text.
struct Events {
    body: http_body_util::BodyDataStream<queue_http::AnswerBody>,
    text: String,
}

async fn open(client: &Client, last_event_id: Option<&str>) -> Result<Events, StatusCode> {
    let mut request = Request::builder().uri("/v1/queues/q/events");
    if let Some(id) = last_event_id {
        request = request.header("last-event-id", id);
    }
    let routed = client.service.as_principal(Principal::anybody());
    let request = request.body(Body::empty()).expect("a request");
    let answer = routed.oneshot(request).await.expect("it never fails");
    match answer.status() {
        StatusCode::OK => Ok(Events { body: answer.into_body().into_data_stream(), text: String::new() }),
        status => Err(status),
    }
}

impl Events {
    /// Reads until a text has come. The bound ends a test that would wait for ever.
    async fn until(&mut self, wanted: &str) {
        let reading = async {
            while !self.text.contains(wanted) {
                let bytes = self.body.next().await.expect("the stream goes on").expect("it has no faults");
                self.text.push_str(std::str::from_utf8(&bytes).expect("it is text"));
            }
        };
        let read = timeout(Duration::from_secs(30), reading).await;
        assert!(read.is_ok(), "{wanted} is not in {}", self.text);
    }
}

#[tokio::test]
async fn each_change_of_a_job_is_told_with_its_state() {
    let client = Client::new().await;
    let mut events = open(&client, None).await.expect("it is open");
    events.until(": open").await;
    client.enqueue("q", "a\u{2028}\"b").await;
    client.claim("q", 1, 1).await;
    events.until("processing").await;
    let told: Vec<Value> = events
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).expect("it is JSON"))
        .filter(|data: &Value| data["id"] == "a\u{2028}\"b")
        .collect();
    let states: Vec<_> = told.iter().map(|data| data["state"].clone()).collect();
    assert_eq!(states, ["queued", "processing"]);
}

#[tokio::test]
async fn whoever_comes_back_is_told_that_it_missed_something() {
    let client = Client::new().await;
    open(&client, Some("1")).await.expect("it is open").until("event: missed").await;
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_says_that_it_lives_and_ends_with_the_service() {
    let client = Client::new().await;
    let mut events = open(&client, None).await.expect("it is open");
    events.until(": alive").await;
    client.service.begin_close();
    assert!(timeout(Duration::from_secs(1), events.body.next()).await.expect("it ends").is_none());
}

#[tokio::test]
async fn streams_are_bounded_and_their_places_come_back() {
    let client = Client::new().await;
    let most = ServiceLimits::default().event_streams_max;
    let mut streams = Vec::new();
    for _ in 0..most {
        streams.push(open(&client, None).await.expect("there is a place"));
    }
    assert_eq!(open(&client, None).await.err(), Some(StatusCode::TOO_MANY_REQUESTS));
    streams.pop();
    assert!(open(&client, None).await.is_ok());
}
