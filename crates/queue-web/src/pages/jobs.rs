//! The jobs of a queue, by filters that are in the address.

mod across;
mod filter;
mod order;

pub(crate) use filter::{SinceChoice, filter_of, operation, since_choices};

use super::{LibraryLink, QueueChoice, QueueScope, capitalized, sorting::ColumnView};
use crate::{
    answer::{self, Answer},
    problem::Result,
    visit::{Frame, NavLink, Visit},
    words::{StateWord, standing_word, state_word},
};
use askama::Template;
use filter::{is_narrow, shown};
use queue_core::{Cursor, JobMeta, QueueName, QueueStatus, Tag, Timestamp};
use queue_view::{
    JobFilter, JobListing, Standing, attempts_words,
    words::{Moment, moment, number},
};
use std::time::Duration;

/// The jobs of a page.
const LIMIT: usize = 50;
const AGE: Duration = Duration::from_millis(950);

#[derive(Template)]
#[template(path = "jobs.html")]
struct JobsPage {
    frame: Frame,
    /// There is a queue.
    is_there: bool,
    /// The one queue; all queues if it is empty.
    queue: String,
    /// What was not read of all queues; empty if nothing was left out.
    left_out: String,
    queues: Vec<QueueChoice>,
    tabs: Vec<TabView>,
    filter: JobFilter,
    since: Vec<SinceChoice>,
    rows: Vec<JobRow>,
    order: &'static str,
    /// The same from the other end.
    turned: Option<NavLink>,
    /// The head of the column of times.
    when: ColumnView,
    looked_at: String,
    newer: Option<String>,
    older: Option<String>,
    actions: Vec<ActionView>,
    clear: String,
    /// The form that enqueues a job.
    enqueue: String,
}

struct TabView {
    link: NavLink,
    count: Option<String>,
    class: &'static str,
    sign: &'static str,
}

pub(super) struct JobRow {
    pub(super) queue: String,
    pub(super) id: String,
    pub(super) href: String,
    pub(super) state: StateWord,
    pub(super) kind: String,
    pub(super) tags: Vec<String>,
    pub(super) attempts: String,
    pub(super) when: Moment,
    pub(super) error: Option<String>,
    pub(super) worker: Option<String>,
    pub(super) library: Option<LibraryLink>,
}

/// Something to do with the jobs that the page shows.
pub(super) struct ActionView {
    pub(super) value: &'static str,
    pub(super) label: &'static str,
    pub(super) is_final: bool,
}

/// `GET /jobs`
pub(crate) async fn jobs(visit: Visit) -> Result<Answer> {
    let filter = filter_of(&visit.query)?;
    let chosen = match visit.queue_scope().await? {
        QueueScope::One(chosen) => chosen,
        QueueScope::All(list) => return across::jobs(&visit, list, filter).await,
        QueueScope::Nothing => return answer::page(&JobsPage::empty(visit.live_frame("Jobs", None), filter)),
    };
    let status = visit.status_of(&chosen.name).await?;
    let listing = filter.listing(chosen.name.clone(), order::wanted(&visit, &filter))?;
    let turned = order::turned(&visit, &listing);
    let page = list(&visit, &listing).await?;
    let next = page.next.as_ref().map(|Cursor(next)| next.as_str());
    let here = visit.query.without(&["after", "did", "n", "not", "store"]);
    let may_change = visit.has(queue_http::Scope::Operate) && !chosen.name.is_reserved();
    answer::page(&JobsPage {
        queue: chosen.name.to_string(),
        is_there: true,
        left_out: String::new(),
        tabs: tabs(&visit, Some(&chosen.name), status.as_slice(), &filter),
        since: since_choices(filter.since, page.now),
        rows: page.jobs.iter().map(|job| row(&visit, job, page.now)).collect(),
        order: listing.order_words(),
        when: order::when(&listing, turned.as_ref()),
        turned,
        looked_at: number(page.looked_at),
        newer: visit.query.get("after").map(|_| visit.link("jobs", &here)),
        older: next.map(|next| {
            let with: Vec<(&str, &str)> = here.iter().copied().chain([("after", next)]).collect();
            visit.link("jobs", &with)
        }),
        actions: if may_change { actions(&filter.states) } else { Vec::new() },
        clear: visit.link("jobs", &[("queue", chosen.name.as_str())]),
        enqueue: visit.link("new-job", &[("queue", chosen.name.as_str())]),
        queues: chosen.choices,
        frame: visit.live_frame("Jobs", Some(chosen.name.as_str())),
        filter,
    })
}

impl JobsPage {
    /// A page without a queue, a job or a choice.
    fn empty(frame: Frame, filter: JobFilter) -> Self {
        Self {
            frame,
            is_there: false,
            queue: String::new(),
            left_out: String::new(),
            queues: Vec::new(),
            tabs: Vec::new(),
            since: Vec::new(),
            rows: Vec::new(),
            order: "",
            turned: None,
            when: ColumnView { label: "When", ..ColumnView::default() },
            looked_at: String::new(),
            newer: None,
            older: None,
            actions: Vec::new(),
            clear: String::new(),
            enqueue: String::new(),
            filter,
        }
    }
}

async fn list(visit: &Visit, listing: &JobListing) -> Result<queue_core::Page> {
    let after = visit.query.get("after").map(|after| Cursor(after.to_owned()));
    let key = visit.key("jobs", &format!("{listing:?} {after:?}"));
    // What was asked for relative to now keeps its key for as long as its answer.
    let (storage, listing) = (visit.storage().clone(), listing.clone());
    let read = async move { Ok(listing.page(&*storage, after, LIMIT).await?) };
    let page = visit.app.snapshots.get(key, AGE, read).await?;
    Ok((*page).clone())
}

/// The states, each with its count in these queues.
fn tabs(visit: &Visit, queue: Option<&QueueName>, of: &[QueueStatus], filter: &JobFilter) -> Vec<TabView> {
    let kept = visit.query.without(&["state", "after", "did", "n", "not", "queue", "store"]);
    let tab = |standing: Option<Standing>| {
        // Only running jobs have a worker.
        let fits = |(name, _): &(&str, &str)| {
            *name != "worker" || matches!(standing, None | Some(Standing::Processing))
        };
        let own = standing.map(|standing| ("state", standing.as_str()));
        let kept = kept.iter().copied().filter(fits);
        let pairs: Vec<(&str, &str)> =
            queue.map(|queue| ("queue", queue.as_str())).into_iter().chain(own).chain(kept).collect();
        let word = standing.map(standing_word);
        let count = |status: &QueueStatus| match standing {
            Some(standing) => standing.counted(&status.counts),
            None => Some(status.counts.total()),
        };
        let count = (!of.is_empty()).then(|| of.iter().map(count).sum::<Option<u64>>()).flatten();
        TabView {
            link: NavLink {
                href: visit.link("jobs", &pairs),
                label: word.map_or_else(|| "All".to_owned(), |word| capitalized(word.word)),
                is_current: filter.states.as_slice() == standing.as_slice(),
            },
            count: count.map(number),
            class: word.map_or("", |word| word.class),
            sign: word.map_or("", |word| word.sign),
        }
    };
    [None].into_iter().chain(Standing::TABS.map(Some)).map(tab).collect()
}

pub(super) fn row(visit: &Visit, job: &JobMeta, now: Timestamp) -> JobRow {
    let is_ahead = job.is_scheduled(now);
    JobRow {
        queue: job.queue.to_string(),
        id: job.id.to_string(),
        href: visit.link("job", &[("queue", job.queue.as_str()), ("id", job.id.as_str())]),
        state: state_word(job, now),
        kind: job.kind.to_string(),
        // That of a schedule says what its kind says.
        tags: job
            .tags
            .iter()
            .map(Tag::as_str)
            .filter(|tag| *tag != job.kind.as_str())
            .map(str::to_owned)
            .collect(),
        attempts: attempts_words(job),
        when: moment(if is_ahead { job.run_at } else { job.entered_at() }, now),
        error: job.last_error.as_ref().map(|error| format!("{}: {}", error.name(), error.message())),
        worker: job.lease.as_ref().map(|lease| lease.worker.to_string()),
        library: visit.library_link(job),
    }
}

/// What can be done with jobs that stand in one of these ways, or in any if none is named: nothing
/// that would change none of them.
pub(super) fn actions(standings: &[Standing]) -> Vec<ActionView> {
    use crate::actions::JobAction;
    let applies = |action: &JobAction| {
        standings.is_empty() || standings.iter().any(|standing| action.action().is_for(*standing))
    };
    let view = |action: JobAction| ActionView {
        value: action.name(),
        label: action.label(),
        is_final: action == JobAction::Delete,
    };
    JobAction::ALL.into_iter().filter(applies).map(view).collect()
}
