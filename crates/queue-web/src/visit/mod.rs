//! A visit: a request that passed the access checks.

mod fields;
mod frame;
mod links;
mod look;

pub(crate) use fields::Fields;
pub(crate) use frame::{Allowed, Frame, NavLink, Notice};
pub(crate) use links::{back, relative};
pub(crate) use look::{Look, Theme};

use crate::{
    app::WebApp,
    problem::{Result, WebProblem},
    routes::{Gate, PageRoute},
    stores::WatchedStore,
};
use queue::{Queue, Raw};
use queue_core::{JobId, QueueFilter, QueueGlob, QueueName, Storage, WorkerInfo};
use queue_http::{Principal, Scope};
use std::{borrow::Cow, sync::Arc};

/// A request that passed the access checks.
pub(crate) struct Visit {
    pub(crate) app: Arc<WebApp>,
    pub(crate) route: &'static PageRoute,
    pub(crate) store: WatchedStore,
    /// Absent on open pages alone.
    principal: Option<Principal>,
    /// What the proofs of forms are bound to.
    holder: String,
    pub(crate) session: Option<String>,
    pub(crate) query: Fields,
    pub(crate) form: Fields,
    pub(crate) look: Look,
}

impl Visit {
    pub(crate) fn new(
        app: Arc<WebApp>,
        route: &'static PageRoute,
        principal: Option<Principal>,
        (holder, session): (String, Option<String>),
        query: Fields,
        (form, look): (Fields, Look),
    ) -> Result<Self> {
        let name = form.get("store").or_else(|| query.get("store"));
        let store = match name {
            None => app.stores.first().clone(),
            Some(name) => {
                let found = app.stores.find(name).cloned();
                found.ok_or_else(|| WebProblem::not_found(format!("There is no store “{name}” here.")))?
            }
        };
        Ok(Self { app, route, store, principal, holder, session, query, form, look })
    }

    /// The principal of the visitor.
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    /// The name of the visitor, for records.
    pub(crate) fn who(&self) -> Cow<'_, str> {
        self.principal.as_ref().map_or("nobody".into(), Principal::who)
    }

    /// The store.
    pub(crate) fn storage(&self) -> &Arc<dyn Storage> {
        &self.store.storage
    }

    /// Whether the visitor has this scope somewhere.
    pub(crate) fn has(&self, scope: Scope) -> bool {
        self.principal.as_ref().is_some_and(|principal| principal.has(scope))
    }

    /// Refuses a visitor who has this scope nowhere, where the route asks for another one.
    pub(crate) fn check(&self, scope: Scope) -> Result<()> {
        if self.has(scope) { Ok(()) } else { Err(WebProblem::lacks(scope)) }
    }

    /// Whether the visitor may know of this queue.
    pub(crate) fn sees(&self, queue: &QueueName) -> bool {
        self.principal.as_ref().is_some_and(|principal| principal.sees(queue))
    }

    /// The queues that the visitor may know of.
    pub(crate) fn seen_queues(&self) -> QueueFilter {
        self.principal.as_ref().map_or_else(|| QueueFilter::any_of([]), Principal::seen_queues)
    }

    /// The patterns of these queues as one text, which is another for other patterns.
    pub(crate) fn patterns(&self) -> String {
        let patterns = self.principal.as_ref().map(Principal::queues).unwrap_or_default();
        let texts: Vec<&str> = patterns.iter().map(QueueGlob::as_str).collect();
        // No pattern has a control character.
        texts.join("\n")
    }

    /// Whether the visitor may know of all queues of a worker.
    pub(crate) fn covers(&self, worker: &WorkerInfo) -> bool {
        self.principal.as_ref().is_some_and(|principal| principal.covers(worker))
    }

    /// Whether the visitor may know of all queues.
    pub(crate) fn sees_all(&self) -> bool {
        self.principal.as_ref().is_some_and(Principal::sees_all)
    }

    /// A field of the form, or else of the address.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.form.get(name).or_else(|| self.query.get(name))
    }

    /// The queue that the request names, in which the visitor has the scope of the route. Whether
    /// there is such a queue makes no difference to a refusal.
    pub(crate) fn queue(&self) -> Result<QueueName> {
        let name = self.field("queue").ok_or_else(|| WebProblem::invalid("The address names no queue."))?;
        let queue = QueueName::new(name)?;
        let Gate::Needs(scope) = self.route.gate else { return Err(forbidden_queue()) };
        let may = self.principal.as_ref().is_some_and(|principal| principal.may(scope, &queue));
        if may { Ok(queue) } else { Err(forbidden_queue()) }
    }

    /// The same, unless the queue belongs to the library, whose jobs are changed by their own
    /// actions alone.
    pub(crate) fn open_queue(&self) -> Result<QueueName> {
        let queue = self.queue()?;
        if queue.is_reserved() {
            return Err(WebProblem::forbidden(
                "This queue belongs to the library, and is not changed by hand.",
            ));
        }
        Ok(queue)
    }

    /// The job that the request names.
    pub(crate) fn job_id(&self) -> Result<JobId> {
        let id = self.field("id").ok_or_else(|| WebProblem::invalid("The address names no job."))?;
        Ok(JobId::new(id)?)
    }

    /// A client of this queue.
    pub(crate) fn client(&self, queue: &QueueName) -> Result<Queue<Raw, Raw>> {
        Ok(Queue::new(self.storage().clone(), queue)?)
    }

    /// A link to a page, relative to all pages.
    pub(crate) fn link(&self, page: &str, pairs: &[(&str, &str)]) -> String {
        let store = self.named_store();
        let all: Vec<(&str, &str)> = store.into_iter().chain(pairs.iter().copied()).collect();
        relative(page, &all)
    }

    /// The pair that keeps a link within this store, if there are others.
    fn named_store(&self) -> Option<(&str, &str)> {
        (self.app.stores.iter().len() > 1).then_some(("store", &*self.store.name))
    }

    /// The proof for forms of this visitor.
    pub(crate) fn proof(&self) -> String {
        self.app.forms.make(&self.holder)
    }
}

fn forbidden_queue() -> WebProblem {
    WebProblem::forbidden("Your token does not reach this queue.")
}
