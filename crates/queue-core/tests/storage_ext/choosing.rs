//! Reading the queues that fit a filter.

use crate::tiny_store::TinyStore;
use async_trait::async_trait;
use queue_core::{
    Counts, Moment, Pause, QueueFilter, QueueName, QueueStatus, QueuesPage, QueuesQuery, Result, StorageExt,
    StorageLayer, Timestamp,
};
use std::{collections::BTreeSet, sync::Mutex};

/// A store of queues without jobs, which notes what it is asked for.
#[derive(Debug, Default)]
struct Listed {
    store: TinyStore,
    names: BTreeSet<String>,
    reads: Mutex<Vec<(String, usize)>>,
}

impl Listed {
    fn of(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect(), ..Self::default() }
    }

    /// The reads since the last time.
    fn reads(&self) -> Vec<(String, usize)> {
        std::mem::take(&mut *self.reads.lock().expect("no test panics with it"))
    }

    async fn all_of(&self, filter: &str, limit: usize) -> Vec<String> {
        let filter: QueueFilter = filter.parse().expect("it is a filter");
        let (mut found, mut next) = (Vec::new(), Some(QueuesQuery::all(limit)));
        while let Some(query) = next {
            let page = self.queues_of(&filter, query).await.expect("it answers");
            assert!(page.queues.len() <= limit);
            found.extend(names(&page));
            next = page.next;
        }
        found
    }
}

#[async_trait]
impl StorageLayer for Listed {
    type Inner = TinyStore;

    fn inner(&self) -> &TinyStore {
        &self.store
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        let read = (query.start().to_owned(), query.limit());
        self.reads.lock().expect("no test panics with it").push(read);
        let names = self.names.range(query.start().to_owned()..).take(query.limit());
        Ok(query.page(names.map(|name| status(name)).collect()))
    }
}

fn status(name: &str) -> QueueStatus {
    let counts = Counts::empty(Moment::at(Timestamp::from_millis(1)));
    let name = QueueName::new(name).expect("it is a name");
    QueueStatus { name, pause: Pause::Off, paused_kinds: Vec::new(), counts }
}

fn names(page: &QueuesPage) -> Vec<String> {
    page.queues.iter().map(|status| status.name.to_string()).collect()
}

/// So many queues of others, and one behind them.
fn crowd(others: usize, own: &str) -> Listed {
    Listed::of((0..others).map(|number| format!("aaa-{number:05}")).chain([own.to_owned()]))
}

#[tokio::test]
async fn a_queue_behind_those_of_others_is_found_by_one_read_of_its_own() {
    let store = crowd(5_000, "mail");
    assert_eq!(store.all_of("mail", 500).await, ["mail"]);
    assert_eq!(store.reads(), [("mail".to_owned(), 1)]);
    assert_eq!(store.all_of("ma*", 500).await, ["mail"]);
    assert_eq!(store.reads(), [("ma".to_owned(), 500)]);
    assert_eq!(store.all_of("nothing,ma*l", 500).await, ["mail"]);
    assert!(store.reads().iter().all(|(start, _)| start.as_str() >= "ma"));
}

#[tokio::test]
async fn a_pattern_that_begins_with_a_star_looks_at_so_many_names_and_says_so() {
    let store = crowd(QueueFilter::LOOKED_AT_MAX + 5, "mail");
    let filter: QueueFilter = "*mail".parse().expect("it is a filter");
    let page = store.queues_of(&filter, QueuesQuery::all(10)).await.expect("it answers");
    assert!(page.queues.is_empty());
    let looked_at: usize = store.reads().iter().map(|(_, limit)| limit).sum();
    assert!(looked_at <= QueueFilter::LOOKED_AT_MAX + QueuesQuery::LIMIT_MAX, "{looked_at}");
    let next = page.next.expect("there is more to look at");
    assert_eq!(names(&store.queues_of(&filter, next).await.expect("it answers")), ["mail"]);
}

#[tokio::test]
async fn names_that_are_far_from_each_other_are_all_found() {
    let store = crowd(QueueFilter::LOOKED_AT_MAX * 2, "mail");
    let many: Vec<String> = (0..100).map(|number| format!("aaa-{:05}", number * 199)).collect();
    let page = store.first_queues_of(&many.join(",").parse().expect("it is a filter"), 500).await;
    let page = page.expect("it answers");
    assert_eq!((names(&page), page.next), (many, None));
}

#[tokio::test]
async fn more_than_a_page_is_read_at_once_on_request() {
    let store = crowd(5_000, "mail");
    let page = store.first_queues_of(&QueueFilter::all(), 3_000).await.expect("it answers");
    assert_eq!((page.queues.len(), page.next.is_some()), (3_000, true));
    let page = store.first_queues_of(&QueueFilter::all(), 9_000).await.expect("it answers");
    assert_eq!((page.queues.len(), page.next), (5_001, None));
}

#[tokio::test]
async fn pages_have_each_queue_that_fits_once_and_in_order() {
    let parts = ["", "a", "b", "-", "\u{e9}"];
    let texts =
        parts.iter().flat_map(|a| parts.iter().flat_map(move |b| parts.map(|c| format!("{a}{b}{c}"))));
    let store = Listed::of(texts.filter(|text| !text.is_empty()));
    for filter in
        ["*", "a", "a*", "a,ab*,\u{e9}", "*a", "*-*,b", "a-,a*b,-*", "\u{e9}*,zz*", "zz", "b-a,b-b,b--"]
    {
        let wanted: QueueFilter = filter.parse().expect("it is a filter");
        let fits = |name: &&String| wanted.matches(&QueueName::new(name).expect("it is a name"));
        let expected: Vec<String> = store.names.iter().filter(fits).cloned().collect();
        for limit in [1, 2, 3, 7, 1_000] {
            assert_eq!(store.all_of(filter, limit).await, expected, "{filter} by {limit}");
        }
    }
}
