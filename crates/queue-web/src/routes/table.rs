//! All pages and actions: method, path, what they need, and what makes them.

use crate::{actions, answer::Answer, live, pages, problem::WebProblem, visit::Visit};
use futures_util::future::BoxFuture;
use http::Method;
use queue_http::Scope::{self, Admin, Operate, Payload, Produce, View};
use std::sync::LazyLock;

type Made = BoxFuture<'static, Result<Answer, WebProblem>>;

/// A page or an action.
pub(crate) struct PageRoute {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) gate: Gate,
    pub(crate) run: fn(Visit) -> Made,
}

/// What a visitor needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// No scope: the page reveals nothing about any store.
    Open,
    /// A principal with this scope, which also counts in the queue that the request names.
    Needs(Scope),
}

macro_rules! route {
    ($method:ident $path:literal, $gate:expr, $run:path) => {
        PageRoute { method: Method::$method, path: $path, gate: $gate, run: |visit| Box::pin($run(visit)) }
    };
}

/// The pages and actions.
pub(crate) fn table() -> &'static [PageRoute] {
    static TABLE: LazyLock<Vec<PageRoute>> =
        LazyLock::new(|| [shown(), done()].into_iter().flatten().collect());
    &TABLE
}

fn shown() -> Vec<PageRoute> {
    vec![
        route!(GET "/", Gate::Needs(View), pages::overview),
        route!(GET "/queue", Gate::Needs(View), pages::queue),
        route!(GET "/jobs", Gate::Needs(View), pages::jobs),
        route!(GET "/job", Gate::Needs(View), pages::job),
        route!(GET "/errors", Gate::Needs(View), pages::errors),
        route!(GET "/kinds", Gate::Needs(View), pages::kinds),
        route!(GET "/workers", Gate::Needs(View), pages::workers),
        route!(GET "/schedules", Gate::Needs(View), pages::schedules),
        route!(GET "/batches", Gate::Needs(View), pages::batches),
        route!(GET "/batch", Gate::Needs(View), pages::batch),
        route!(GET "/new-job", Gate::Needs(Produce), pages::new_job),
        route!(GET "/new-schedule", Gate::Needs(Produce), pages::new_schedule),
        route!(GET "/operations", Gate::Needs(View), pages::operations),
        route!(GET "/doctor", Gate::Needs(Admin), pages::doctor),
        route!(GET "/changes", Gate::Needs(View), live::changes),
        route!(GET "/login", Gate::Open, pages::login),
    ]
}

fn done() -> Vec<PageRoute> {
    vec![
        route!(POST "/login", Gate::Open, actions::log_in),
        route!(POST "/logout", Gate::Open, actions::log_out),
        route!(POST "/look", Gate::Needs(View), actions::set_look),
        route!(POST "/reveal", Gate::Needs(Payload), actions::reveal),
        route!(POST "/download", Gate::Needs(Payload), actions::download),
        route!(POST "/edit-job", Gate::Needs(Payload), pages::edit_job),
        route!(POST "/enqueue", Gate::Needs(Produce), actions::enqueue),
        route!(POST "/change", Gate::Needs(Operate), actions::change_jobs),
        route!(POST "/bulk", Gate::Needs(Operate), actions::count_jobs),
        route!(POST "/bulk-start", Gate::Needs(Operate), actions::start_operation),
        route!(POST "/bulk-cancel", Gate::Needs(Operate), actions::cancel_operation),
        route!(POST "/pause", Gate::Needs(Operate), actions::pause),
        route!(POST "/resume", Gate::Needs(Operate), actions::resume),
        route!(POST "/duty", Gate::Needs(Operate), actions::set_duty),
        route!(POST "/edit-schedule", Gate::Needs(Payload), pages::edit_schedule),
        route!(POST "/put-schedule", Gate::Needs(Produce), actions::put_schedule),
        route!(POST "/schedule", Gate::Needs(Operate), actions::change_schedule),
        route!(POST "/seal-batch", Gate::Needs(Produce), actions::seal_batch),
        route!(POST "/stop-batch", Gate::Needs(Operate), actions::stop_batch),
    ]
}
