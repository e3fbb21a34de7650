//! All calls: method, path, scope, handler, and what the description says of them.

use super::Call;
use crate::{
    access::Scope::{self, Metrics, Operate, Payload, Produce, View, Work},
    problem::Result,
    service::App,
    verbs::{
        about, batches, change, claim, enqueue, events, extend, failures, jobs, limits, metrics, operations,
        outcome, partitions, queues, schedules, settle, stats, workers,
    },
};
use axum::{http::Method, response::Response};
use futures_util::future::BoxFuture;
use std::sync::{Arc, LazyLock};
use utoipa::{
    IntoParams, PartialSchema, ToSchema,
    openapi::{
        RefOr, Schema,
        path::{Parameter, ParameterIn},
    },
};

type Handler = fn(Arc<App>, Call) -> BoxFuture<'static, Result<Response>>;
type Schemas = Vec<(String, RefOr<Schema>)>;

/// One call.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// The scope that the caller needs; `None` for a call that reveals nothing about jobs.
    pub(crate) scope: Option<Scope>,
    pub(crate) run: Handler,
    /// The name of the call in the description.
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) request: Option<Described>,
    pub(crate) query: Vec<Parameter>,
    pub(crate) answers: Vec<(u16, Option<Described>)>,
}

/// A type as the description has it.
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) schema: RefOr<Schema>,
    /// The types that it is made of.
    pub(crate) parts: Schemas,
}

pub(crate) fn described<T: ToSchema + PartialSchema>() -> Described {
    let mut parts = Vec::new();
    T::schemas(&mut parts);
    Described { name: T::name().into_owned(), schema: T::schema(), parts }
}

impl Route {
    /// Whether people ask by it how things are, and it changes nothing.
    pub(super) fn is_read(&self) -> bool {
        let is_get = self.method == Method::GET;
        matches!(self.scope, Some(View | Payload | Metrics)) || (is_get && self.scope == Some(Operate))
    }

    fn takes<T: ToSchema + PartialSchema>(mut self) -> Self {
        self.request = Some(described::<T>());
        self
    }

    fn asks<T: IntoParams>(mut self) -> Self {
        self.query = T::into_params(|| Some(ParameterIn::Query));
        self
    }

    fn answers<T: ToSchema + PartialSchema>(mut self, status: u16) -> Self {
        self.answers.push((status, Some(described::<T>())));
        self
    }

    fn answers_else(mut self, status: u16) -> Self {
        self.answers.push((status, None));
        self
    }
}

/// A row: the parts that each call has.
macro_rules! route {
    ($method:ident $path:literal, $scope:expr, $handler:path, $name:literal, $summary:literal) => {
        Route {
            method: Method::$method,
            path: $path,
            scope: $scope,
            run: |app, call| Box::pin($handler(app, call)),
            name: $name,
            summary: $summary,
            request: None,
            query: Vec::new(),
            answers: Vec::new(),
        }
    };
}

/// The calls, in the order of the description.
pub(crate) fn table() -> &'static [Route] {
    static TABLE: LazyLock<Vec<Route>> = LazyLock::new(|| {
        [produce(), batch(), work(), change(), look(), schedule(), about()].into_iter().flatten().collect()
    });
    &TABLE
}

fn produce() -> Vec<Route> {
    vec![
        route!(POST "/v1/queues/{queue}/jobs", Some(Produce), enqueue::many, "enqueue", "Stores jobs.")
            .takes::<enqueue::EnqueueIn<'_>>()
            .answers::<enqueue::EnqueueOut<'_>>(200),
        route!(PUT "/v1/queues/{queue}/jobs/{id}", Some(Produce), enqueue::one, "put", "Stores one job.")
            .takes::<crate::wire::NewJobIn<'_>>()
            .answers::<enqueue::EnqueueOneOut<'_>>(200)
            .answers::<enqueue::EnqueueOneOut<'_>>(201),
        route!(GET "/v1/queues/{queue}/jobs/{id}/outcome", Some(Produce), outcome::by_path, "outcome", "Waits for the outcome of a job.")
            .asks::<outcome::WaitQuery>()
            .answers::<outcome::OutcomeOut<'_>>(200)
            .answers::<outcome::OutcomeOut<'_>>(202),
        route!(POST "/v1/queues/{queue}/jobs:wait", Some(Produce), outcome::by_body, "wait", "Waits for the outcome of a job.")
            .takes::<outcome::WaitIn<'_>>()
            .answers::<outcome::OutcomeOut<'_>>(200)
            .answers::<outcome::OutcomeOut<'_>>(202),
    ]
}

fn batch() -> Vec<Route> {
    let changes = |route: Route| route.takes::<batches::LifeIn>().answers::<operations::ChangeOut>(200);
    vec![
        route!(GET "/v1/queues/{queue}/batches", Some(View), batches::list, "batches", "Lists batches.")
            .asks::<batches::BatchesParams>()
            .answers::<batches::BatchesOut>(200),
        route!(GET "/v1/queues/{queue}/batches/{batch}", Some(View), batches::one, "batch", "Shows a batch.")
            .answers::<queue_view::BatchView>(200),
        route!(PUT "/v1/queues/{queue}/batches/{batch}", Some(Produce), batches::open, "open_batch", "Opens a batch, or finds the one that was opened in this way before.")
            .takes::<batches::BatchIn<'_>>()
            .answers::<batches::OpenOut>(200),
        route!(POST "/v1/queues/{queue}/batches/{batch}/jobs", Some(Produce), batches::add, "add_members", "Adds members to a batch, all or none.")
            .takes::<batches::MembersIn<'_>>()
            .answers::<enqueue::EnqueueOut<'_>>(200),
        changes(route!(POST "/v1/queues/{queue}/batches/{batch}/seal", Some(Produce), batches::seal, "seal_batch", "Says that no more members come from outside.")),
        changes(route!(POST "/v1/queues/{queue}/batches/{batch}/cancel", Some(Operate), batches::cancel, "cancel_batch", "Cancels the members of a batch, which ends after them.")),
        changes(route!(POST "/v1/queues/{queue}/batches/{batch}/abandon", Some(Operate), batches::abandon, "abandon_batch", "Gives a batch up: no callback runs.")),
    ]
}

fn work() -> Vec<Route> {
    vec![
        route!(POST "/v1/queues/{queue}/claim", Some(Work), claim::claim, "claim", "Takes due jobs, and waits for some.")
            .takes::<claim::ClaimIn<'_>>()
            .answers::<claim::ClaimOut<'_>>(200),
        route!(POST "/v1/extend", Some(Work), extend::extend, "extend", "Extends leases.")
            .takes::<extend::ExtendIn<'_>>()
            .answers::<extend::ExtendOut>(200),
        route!(POST "/v1/settle", Some(Work), settle::settle, "settle", "Ends leases.")
            .takes::<settle::SettleIn<'_>>()
            .answers::<settle::SettleOut>(200),
        route!(POST "/v1/workers", Some(Work), workers::announce, "announce", "Makes a worker visible.")
            .takes::<workers::AnnounceIn<'_>>()
            .answers::<workers::AnnounceOut>(200),
    ]
}

fn change() -> Vec<Route> {
    let both = |route: Route| {
        route
            .takes::<change::ChangeIn<'_>>()
            .answers::<change::ChangeAnswer>(200)
            .answers::<change::StartedOut>(202)
    };
    vec![
        both(route!(POST "/v1/queues/{queue}/jobs:cancel", Some(Operate), change::cancel, "cancel", "Cancels jobs.")),
        both(route!(POST "/v1/queues/{queue}/jobs:redrive", Some(Operate), change::redrive, "redrive", "Runs Failed and Cancelled jobs again.")),
        both(route!(POST "/v1/queues/{queue}/jobs:promote", Some(Operate), change::promote, "promote", "Makes waiting jobs due now.")),
        both(route!(POST "/v1/queues/{queue}/jobs:delete", Some(Operate), change::delete, "delete", "Removes jobs that do not run.")),
        both(route!(POST "/v1/queues/{queue}/jobs:retain", Some(Operate), change::retain, "retain", "Keeps finished jobs for another time.")),
        both(route!(POST "/v1/queues/{queue}/jobs:reschedule", Some(Operate), change::reschedule, "reschedule", "Changes when waiting jobs are due.")),
        both(route!(POST "/v1/queues/{queue}/jobs:prioritize", Some(Operate), change::prioritize, "prioritize", "Changes the priority of waiting jobs.")),
        route!(GET "/v1/operations", Some(Operate), operations::list, "operations", "Lists operations.")
            .asks::<operations::OperationsParams>()
            .answers::<operations::OperationsOut>(200),
        route!(GET "/v1/operations/{operation}", Some(Operate), operations::one, "operation", "Shows an operation.")
            .answers::<queue_view::OperationView>(200),
        route!(POST "/v1/operations/{operation}/cancel", Some(Operate), operations::cancel, "cancel_operation", "Cancels an operation.")
            .takes::<queues::Empty>()
            .answers::<operations::ChangeOut>(200),
        route!(POST "/v1/queues/{queue}/pause", Some(Operate), queues::pause, "pause", "Stops the claims of a queue, or of one kind.")
            .takes::<queues::PauseIn<'_>>()
            .answers::<queues::PausedOut>(200),
        route!(POST "/v1/queues/{queue}/resume", Some(Operate), queues::resume, "resume", "Resumes the claims of a queue, or of one kind.")
            .takes::<queues::ResumeIn<'_>>()
            .answers::<queues::PausedOut>(200),
        route!(PUT "/v1/queues/{queue}/limits", Some(Operate), limits::put, "put_limits", "Sets limits of a queue and takes limits away, in one step.")
            .takes::<limits::LimitsIn>()
            .answers::<operations::ChangeOut>(200),
        route!(POST "/v1/workers:drain", Some(Operate), workers::drain, "drain", "Asks a worker to finish and end.")
            .takes::<workers::DrainIn<'_>>()
            .answers::<workers::DrainOut>(200),
    ]
}

fn look() -> Vec<Route> {
    vec![
        route!(GET "/v1/queues", Some(View), queues::list, "queues", "Lists queues.")
            .asks::<queues::QueuesParams>()
            .answers::<queues::QueuesOut<'_>>(200),
        route!(GET "/v1/queues/{queue}", Some(View), queues::one, "queue", "Shows a queue.")
            .answers::<queue_view::QueueView<'_>>(200),
        route!(GET "/v1/queues/{queue}/jobs", Some(View), jobs::list, "list", "Lists jobs.")
            .asks::<jobs::ListParams>()
            .answers::<jobs::ListOut<'_>>(200),
        route!(POST "/v1/queues/{queue}/jobs:get", Some(View), jobs::many, "get_many", "Shows jobs by their ids.")
            .takes::<jobs::IdsIn<'_>>()
            .answers::<jobs::JobsOut<'_>>(200),
        route!(GET "/v1/queues/{queue}/jobs/{id}", Some(View), jobs::one, "get", "Shows a job.")
            .answers::<queue_view::JobDetails<'_>>(200),
        route!(GET "/v1/queues/{queue}/jobs/{id}/body", Some(Payload), jobs::body, "body", "Shows payload, result and error of a job.")
            .answers::<jobs::BodyOut<'_>>(200),
        route!(GET "/v1/queues/{queue}/limits", Some(View), limits::list, "queue_limits", "Shows the limits of a queue.")
            .answers::<queue_view::LimitsView<'_>>(200),
        route!(GET "/v1/queues/{queue}/partitions", Some(View), partitions::list, "partitions", "Lists partitions.")
            .asks::<partitions::PartitionsParams>()
            .answers::<partitions::PartitionsOut<'_>>(200),
        route!(GET "/v1/queues/{queue}/failures", Some(View), failures::failures, "failures", "Groups failures by what they say.")
            .answers::<failures::FailuresOut<'_>>(200),
        route!(GET "/v1/workers", Some(View), workers::list, "workers", "Lists workers.")
            .answers::<workers::WorkersOut>(200),
        route!(GET "/v1/queues/{queue}/stats", Some(View), stats::stats, "stats", "Shows what workers counted.")
            .asks::<stats::StatsParams>()
            .answers::<queue_view::WorkView>(200),
        route!(GET "/v1/queues/{queue}/events", Some(View), events::events, "events", "Streams hints that something changed.")
            .answers_else(200),
    ]
}

fn schedule() -> Vec<Route> {
    let changes = |route: Route| route.takes::<queues::Empty>().answers::<operations::ChangeOut>(200);
    vec![
        route!(GET "/v1/queues/{queue}/schedules", Some(View), schedules::list, "schedules", "Lists schedules.")
            .answers::<schedules::SchedulesOut>(200),
        route!(GET "/v1/queues/{queue}/schedules/{schedule}", Some(View), schedules::one, "schedule", "Shows a schedule.")
            .answers::<queue_view::ScheduleView>(200),
        route!(PUT "/v1/queues/{queue}/schedules/{schedule}", Some(Operate), schedules::put, "put_schedule", "Makes a schedule, or changes the one of this name; needs produce too.")
            .takes::<schedules::ScheduleIn<'_>>()
            .answers::<schedules::PutOut>(200)
            .answers::<schedules::PutOut>(201),
        route!(GET "/v1/queues/{queue}/schedules/{schedule}/next", Some(View), schedules::next, "next_ticks", "Shows when a schedule fires next.")
            .asks::<schedules::NextParams>()
            .answers::<schedules::NextAnswer>(200),
        route!(POST "/v1/schedules:preview", Some(View), schedules::preview, "preview_schedule", "Shows when a schedule would fire that is not made yet.")
            .takes::<schedules::PreviewIn<'_>>()
            .answers::<schedules::NextAnswer>(200),
        changes(route!(POST "/v1/queues/{queue}/schedules/{schedule}/pause", Some(Operate), schedules::pause, "pause_schedule", "Pauses a schedule.")),
        changes(route!(POST "/v1/queues/{queue}/schedules/{schedule}/resume", Some(Operate), schedules::resume, "resume_schedule", "Resumes a schedule.")),
        changes(route!(POST "/v1/queues/{queue}/schedules/{schedule}/remove", Some(Operate), schedules::remove, "remove_schedule", "Removes a schedule.")),
        route!(POST "/v1/queues/{queue}/schedules/{schedule}/run", Some(Operate), schedules::run, "run_schedule", "Enqueues the job of a schedule now.")
            .takes::<queues::Empty>()
            .answers::<schedules::RunOut>(200),
    ]
}

fn about() -> Vec<Route> {
    vec![
        route!(GET "/healthz", None, about::health, "health", "Says that the process answers.")
            .answers::<about::HealthOut>(200),
        route!(GET "/readyz", None, about::ready, "ready", "Says whether the store takes jobs.")
            .answers::<about::HealthOut>(200),
        route!(GET "/metrics", Some(Metrics), metrics::metrics, "metrics", "Shows metrics for Prometheus.")
            .asks::<metrics::MetricsParams>()
            .answers_else(200),
        route!(GET "/v1/limits", None, about::limits, "limits", "Shows the limits.")
            .answers::<about::LimitsOut>(200),
        route!(GET "/v1/openapi.json", None, about::openapi, "openapi", "This document.").answers_else(200),
    ]
}
