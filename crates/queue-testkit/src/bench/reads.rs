//! Helpers of cases for reading, listing, counting and pruning jobs.

use super::{Bench, values::id};
use queue_core::{
    Counts, Detail, JobMeta, JobRecord, ListQuery, Page, Prune, PruneRequest, State, StorageExt,
};

/// More pages than any queue of a case has.
const PAGES_MAX: usize = 10_000;

impl Bench {
    /// The whole record, if it exists.
    pub(crate) async fn find(&self, text: &str) -> Option<JobRecord> {
        self.store().get_one(&self.queue, &id(text), Detail::Full).await.expect("get answers")
    }

    /// The whole record, which must exist.
    pub(crate) async fn record(&self, text: &str) -> JobRecord {
        self.find(text).await.expect("the record is there")
    }

    /// The metadata, which must exist.
    pub(crate) async fn meta(&self, text: &str) -> JobMeta {
        self.record(text).await.meta
    }

    /// The state, if the record exists.
    pub(crate) async fn state(&self, text: &str) -> Option<State> {
        self.find(text).await.map(|record| record.meta.state)
    }

    /// The result as text, if it exists.
    pub(crate) async fn result(&self, text: &str) -> Option<String> {
        let record = self.find(text).await?;
        record.result().map(|result| String::from_utf8(result.bytes.to_vec()).expect("text"))
    }

    pub(crate) async fn counts(&self) -> Counts {
        self.store().counts(&self.queue).await.expect("counts answers")
    }

    pub(crate) async fn page(&self, query: ListQuery) -> Page {
        self.store().list(query).await.expect("list answers")
    }

    /// All jobs, in pages of at most the query's limit.
    pub(crate) async fn list(&self, mut query: ListQuery) -> Vec<JobMeta> {
        let mut found = Vec::new();
        for _ in 0..PAGES_MAX {
            let page = self.page(query.clone()).await;
            assert!(page.jobs.len() <= query.limit, "a page is larger than asked for");
            found.extend(page.jobs);
            match page.next {
                Some(cursor) => query.after = Some(cursor),
                None => return found,
            }
        }
        panic!("the listing does not end");
    }

    /// The ids in a listing, in order.
    pub(crate) async fn list_ids(&self, query: ListQuery) -> Vec<String> {
        self.list(query).await.iter().map(|meta| meta.id.to_string()).collect()
    }

    pub(crate) async fn prune(&self, what: Prune, limit: usize) -> u64 {
        let request = PruneRequest { queue: self.queue.clone(), what, limit };
        self.store().prune(request).await.expect("prune answers")
    }
}
