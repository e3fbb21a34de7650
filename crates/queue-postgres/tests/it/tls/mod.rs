//! Encrypted connections, with a certificate on either side: everything works as without
//! encryption, and a wrong certificate is reported as such.

mod certificates;

use crate::common::server::{TestSchema, new_schema_at, url_of};
use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_postgres::PostgresStorage;
use queue_testkit::{Facility, Failure, Harness, Place, Selection, collect};
use std::sync::Arc;

/// The URL of the server that accepts only encrypted connections; none if it is skipped.
pub(crate) fn tls_url() -> Option<String> {
    url_of("postgres-tls", "QUEUE_TEST_POSTGRES_TLS_URL")
}

struct Encrypted {
    url: String,
}

#[async_trait]
impl Harness for Encrypted {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(SchemaPlace { schema: new_schema_at(&self.url), clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle, Facility::DroppedClaims]
    }
}

/// One schema, dropped at the end.
#[derive(Debug)]
struct SchemaPlace {
    schema: TestSchema,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for SchemaPlace {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let options = self.schema.options()?.connections_max(4).clock(self.clock.clone());
        Ok(Arc::new(PostgresStorage::open(options).await?))
    }

    async fn clean_up(&self) -> Result<(), Failure> {
        self.schema.remove().await
    }
}

#[test]
fn the_core_of_the_suite_passes() {
    let Some(url) = tls_url() else { return };
    let reports = collect(Encrypted { url }, &Selection::core()).expect("it opens");
    let failed: Vec<_> = reports.iter().filter(|report| report.has_failed()).collect();
    assert!(reports.len() > 70 && failed.is_empty(), "{} cases, of which failed {failed:#?}", reports.len());
}
