//! The pages: each reads within bounds, makes words of what it found, and fills in its template.

mod batch;
mod batches;
mod confirm;
mod doctor;
mod errors;
mod job;
mod jobs;
mod kinds;
mod login;
mod new_job;
mod new_schedule;
mod operations;
mod overview;
mod problem;
mod queue;
mod schedules;
mod sorting;
mod workers;

pub(crate) use batch::batch;
pub(crate) use batches::batches;
pub(crate) use confirm::{ConfirmPage, DELETED, HiddenField, SURE, confirm};
pub(crate) use doctor::doctor;
pub(crate) use errors::errors;
pub(crate) use job::{PartName, job, opened, whole};
pub(crate) use jobs::{SinceChoice, filter_of, jobs, operation, since_choices};
pub(crate) use kinds::kinds;
pub(crate) use login::{LoginPage, login};
pub(crate) use new_job::{JOB_FIELDS, edit_job, job_form_again, new_job};
pub(crate) use new_schedule::{SCHEDULE_FIELDS, edit_schedule, new_schedule, schedule_form_again};
pub(crate) use operations::operations;
pub(crate) use overview::overview;
pub(crate) use problem::problem_page;
pub(crate) use queue::queue;
pub(crate) use schedules::schedules;
pub(crate) use workers::workers;

use crate::{
    problem::Result,
    read::QueueList,
    visit::{NavLink, Visit},
};
use queue_core::{JobMeta, LibraryJob, QueueName, QueueStatus};
use std::sync::Arc;

/// A choice of queues, for pages that are about one.
#[derive(Clone, Debug)]
pub(crate) struct QueueChoice {
    pub(crate) name: String,
    pub(crate) is_current: bool,
}

/// The queues that a page may be about as a whole.
pub(crate) enum QueueScope {
    /// There is no queue yet.
    Nothing,
    /// One queue.
    One(ChosenQueue),
    /// All of them, of which there are several.
    All(Arc<QueueList>),
}

/// What was read of the queues that a page is about.
struct ReadScope<T> {
    /// The one queue; all queues if absent.
    queue: Option<QueueName>,
    /// The choices; absent where there is no queue.
    queues: Option<Vec<QueueChoice>>,
    found: Arc<T>,
}

/// The queue that a page is about, and the others.
pub(crate) struct ChosenQueue {
    pub(crate) name: QueueName,
    pub(crate) choices: Vec<QueueChoice>,
}

/// What a job of the library is, and the page that changes it.
pub(crate) struct LibraryLink {
    pub(crate) word: &'static str,
    pub(crate) name: String,
    pub(crate) href: String,
}

impl QueueList {
    /// The choices of a page that shows all queues.
    pub(crate) fn choices(&self) -> Vec<QueueChoice> {
        let choice = |queue: &QueueStatus| QueueChoice { name: queue.name.to_string(), is_current: false };
        self.queues.iter().map(choice).collect()
    }
}

impl Visit {
    /// What a job is to the library; `None` for a job of an application.
    fn library_link(&self, job: &JobMeta) -> Option<LibraryLink> {
        let (queue, id) = (("queue", job.queue.as_str()), job.id.as_str());
        let (word, name, href) = match LibraryJob::of(job)? {
            LibraryJob::Schedule(name) => ("schedule", name, self.link("schedules", &[queue])),
            LibraryJob::Batch(name) => ("batch", name, self.link("batch", &[queue, ("name", name)])),
            LibraryJob::Operation(id) => ("operation", id, self.link("operations", &[])),
            _ => ("of the library", id, self.link("job", &[queue, ("id", id)])),
        };
        Some(LibraryLink { word, name: name.to_owned(), href })
    }

    /// The queue that the address names, or else the first one; `None` if there is none yet.
    async fn chosen_queue(&self) -> Result<Option<ChosenQueue>> {
        let named = if self.field("queue").is_some() { Some(self.queue()?) } else { None };
        let QueueList { queues, .. } = &*self.queues().await?;
        let Some(name) = named.or_else(|| queues.first().map(|queue| queue.name.clone())) else {
            return Ok(None);
        };
        let choice = |queue: &QueueStatus| QueueChoice {
            name: queue.name.to_string(),
            is_current: queue.name == name,
        };
        let mut choices: Vec<QueueChoice> = queues.iter().map(choice).collect();
        if !choices.iter().any(|choice| choice.is_current) {
            choices.insert(0, QueueChoice { name: name.to_string(), is_current: true });
        }
        Ok(Some(ChosenQueue { name, choices }))
    }

    /// The queue that the address names, or else all queues.
    async fn queue_scope(&self) -> Result<QueueScope> {
        let list = self.queues().await?;
        if self.field("queue").is_none() && list.queues.len() > 1 {
            return Ok(QueueScope::All(list));
        }
        Ok(self.chosen_queue().await?.map_or(QueueScope::Nothing, QueueScope::One))
    }

    /// Reads what a page shows of one queue or of all. Nothing is read where there is no queue.
    async fn read_scope<T: Default>(
        &self,
        one: impl AsyncFnOnce(&QueueName) -> Result<Arc<T>>,
        all: impl AsyncFnOnce(Arc<QueueList>) -> Result<Arc<T>>,
    ) -> Result<ReadScope<T>> {
        Ok(match self.queue_scope().await? {
            QueueScope::Nothing => ReadScope { queue: None, queues: None, found: Arc::default() },
            QueueScope::One(ChosenQueue { name, choices }) => {
                let found = one(&name).await?;
                ReadScope { queue: Some(name), queues: Some(choices), found }
            }
            QueueScope::All(list) => {
                let choices = list.choices();
                ReadScope { queue: None, queues: Some(choices), found: all(list).await? }
            }
        })
    }

    /// The ways to the same page for other stretches of time.
    fn stretches(&self, page: &str, current: crate::read::Stretch, pairs: &[(&str, &str)]) -> Vec<NavLink> {
        let link = |stretch: crate::read::Stretch| {
            let with: Vec<(&str, &str)> = pairs.iter().copied().chain([("last", stretch.name)]).collect();
            NavLink {
                href: self.link(page, &with),
                label: stretch.label.to_owned(),
                is_current: stretch == current,
            }
        };
        crate::read::Stretch::ALL.into_iter().map(link).collect()
    }
}

/// Words at the beginning of a line or of a label.
pub(super) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
