//! What the tests share: a schema of one's own, and short names for the verbs.
#![allow(dead_code, reason = "each test file uses a part")]

#[path = "../server/mod.rs"]
pub(crate) mod server;

use queue_core::{
    Changed, ClaimRequest, Claimed, ClaimedJob, ContentType, Enqueued, JobId, JobMeta, Kind, LeaseToken,
    NewJob, Payload, QueueName, Span, Storage, StorageExt, SystemRng, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_postgres::{PostgresOptions, PostgresStorage};
use server::{TestSchema, new_schema, url};
use sqlx::{PgPool, postgres::PgPoolOptions};

/// A schema that is dropped when the test asks for it; a test that fails leaves it to be looked at.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) schema: TestSchema,
}

impl Place {
    /// None if the environment says to do without the server.
    pub(crate) async fn new() -> Option<Self> {
        url()?;
        Some(Self { schema: new_schema().await.expect("the server answers") })
    }

    pub(crate) fn options(&self) -> PostgresOptions {
        self.schema.options().expect("the URL is valid")
    }

    pub(crate) async fn open(&self) -> PostgresStorage {
        self.open_with(|options| options).await
    }

    pub(crate) async fn open_with(
        &self,
        adjust: impl FnOnce(PostgresOptions) -> PostgresOptions,
    ) -> PostgresStorage {
        PostgresStorage::open(adjust(self.options())).await.expect("it opens")
    }

    /// A pool as an application would have it.
    pub(crate) async fn pool(&self, connections: u32) -> PgPool {
        let pool = PgPoolOptions::new().max_connections(connections).connect(&self.schema.url).await;
        pool.expect("the server answers")
    }

    /// Runs a statement in which `{schema}` is the schema.
    pub(crate) async fn execute(&self, text: &str) -> u64 {
        self.schema.execute(text).await.expect("the statement is fine")
    }

    /// Checks that everything adds up, and removes the schema.
    pub(crate) async fn finish(self, store: &PostgresStorage) {
        assert_sound(store).await;
        store.close().await.expect("it closes");
        self.remove().await;
    }

    pub(crate) async fn remove(self) {
        self.schema.remove().await.expect("it is removed");
    }
}

pub(crate) fn queue() -> QueueName {
    QueueName::from_static("q")
}

pub(crate) fn text(bytes: &'static str) -> Payload {
    Payload::new(bytes, ContentType::from_static("text/plain"))
}

pub(crate) fn job(id: &str) -> NewJob {
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::from_static("kind"), text("payload"))
}

pub(crate) async fn enqueue(store: &PostgresStorage, jobs: Vec<NewJob>) -> Vec<Enqueued> {
    store.enqueue(&queue(), vec![jobs]).await.expect("it enqueues").value.remove(0)
}

pub(crate) fn request(limit: usize, lease: Span) -> ClaimRequest {
    ClaimRequest::new(queue(), WorkerId::from_static("worker"), limit, lease, &SystemRng)
}

pub(crate) async fn claim(store: &PostgresStorage, limit: usize) -> Claimed {
    store.claim(request(limit, Span::from_secs(30))).await.expect("it claims")
}

pub(crate) async fn claim_one(store: &PostgresStorage) -> ClaimedJob {
    claim(store, 1).await.jobs.pop().expect("a job is due")
}

pub(crate) fn complete(token: LeaseToken) -> Event {
    Event::Complete { token, result: text("result"), retention: None, then: Vec::new() }
}

pub(crate) async fn settle(store: &PostgresStorage, job: &JobMeta, event: Event) -> Changed {
    store.settle(job, event, &Policy::default()).await.expect("it settles")
}

pub(crate) async fn assert_sound(store: &PostgresStorage) {
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}
