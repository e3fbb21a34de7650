//! The worker of a scenario.

use super::{
    jobs,
    pattern::{check, filled},
    steps::Scenario,
};
use parking_lot::Mutex;
use queue::{
    ContentType, Payload, Raw, RetryPolicy, Storage,
    worker::{Context, JobError, Router, Worker},
};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::time::timeout;

/// What handlers were given, in the order of their starts.
pub(crate) type Seen = Arc<Mutex<Vec<Value>>>;

const END_MAX: Duration = Duration::from_mins(1);

/// What the handlers of a scenario share.
struct Handlers {
    plans: HashMap<String, Value>,
    starts: Mutex<HashMap<String, usize>>,
    seen: Seen,
    storage: Arc<dyn Storage>,
}

pub(crate) async fn run(scenario: &mut Scenario, said: &Value) -> Result<(), String> {
    let seen = Seen::default();
    scenario.seen = Some(seen.clone());
    let plans = filled(&said["handlers"], &scenario.names);
    let plans = plans.as_object().into_iter().flatten().map(|(kind, plan)| (kind.clone(), plan.clone()));
    let handlers = Arc::new(Handlers {
        plans: plans.collect(),
        starts: Mutex::default(),
        seen: seen.clone(),
        storage: scenario.storage.clone(),
    });
    let mut router = Router::new(());
    for kind in handlers.plans.keys() {
        let (handlers, name) = (handlers.clone(), kind.clone());
        let handler = move |Raw(payload): Raw, context: Context| {
            let (handlers, name) = (handlers.clone(), name.clone());
            async move { handlers.handle(&name, payload, &context).await.map(Raw) }
        };
        router = router.handle(kind.as_str(), handler).map_err(|error| error.to_string())?;
    }
    let millis = |name: &str, default: u64| Duration::from_millis(said[name].as_u64().unwrap_or(default));
    let worker = Worker::builder(scenario.storage.clone(), scenario.jobs.name().clone(), router)
        .concurrency(said["concurrency"].as_u64().unwrap_or(2) as usize)
        .lease(millis("lease_ms", 30_000))
        .drain_deadline(millis("grace_ms", 5_000))
        .grace(Duration::from_millis(500))
        .retry(RetryPolicy::exponential(Duration::from_millis(1)))
        .build()
        .map_err(|error| error.to_string())?;
    let stop = worker.stop_token();
    let mut running = tokio::task::JoinSet::new();
    running.spawn(worker.run());
    let ran = scenario.steps(&said["then"]).await;
    if said["end"] != "itself" || ran.is_err() {
        stop.cancel();
    }
    let ended = timeout(END_MAX, running.join_next()).await;
    scenario.seen = None;
    ran?;
    if ended.is_err() {
        return Err("the worker does not end".to_owned());
    }
    let Some(pattern) = said.get("saw") else { return Ok(()) };
    let seen = Value::Array(seen.lock().clone());
    check(pattern, &seen, &mut scenario.names)
}

impl Handlers {
    async fn handle(&self, kind: &str, payload: Payload, context: &Context) -> Result<Payload, JobError> {
        self.seen.lock().push(job(&payload, context));
        let plan = &self.plans[kind];
        let start = {
            let mut starts = self.starts.lock();
            let start = starts.entry(kind.to_owned()).or_default();
            *start += 1;
            *start
        };
        let plan = match plan {
            Value::Array(plans) => &plans[start.min(plans.len()) - 1],
            plan => plan,
        };
        self.act(plan, payload, context).await
    }

    async fn act(&self, plan: &Value, payload: Payload, context: &Context) -> Result<Payload, JobError> {
        let error = |name: &str| plan["error"][name].as_str().unwrap_or_default().to_owned();
        let delay = plan["delay_ms"].as_u64().map(Duration::from_millis);
        match plan["do"].as_str().unwrap_or_default() {
            "echo" => Ok(payload),
            "headers" => {
                let headers = context.headers().iter();
                let headers: serde_json::Map<_, _> =
                    headers.map(|(name, value)| (name.to_owned(), json!(value))).collect();
                Ok(json_of(&Value::Object(headers)))
            }
            "return" => Ok(json_of(&plan["value"])),
            "fail" if plan["error"].is_object() || delay.is_some() => {
                let failed = JobError::named(error("name"), error("message"));
                Err(failed.retry_in(delay.unwrap_or_default()))
            }
            "fail" => Err(JobError::retryable("an ordinary error")),
            "terminal" => {
                let failed = JobError::named(error("name"), error("message"));
                let details = plan["error"]["details"].to_string();
                Err(failed.with_details(details.into_bytes()).as_terminal())
            }
            "snooze" => Err(JobError::snooze(delay.unwrap_or_default())),
            "hang" => {
                context.cancelled().await;
                Err(JobError::release())
            }
            "ignore" => std::future::pending().await,
            "finish_when_asked" => {
                context.cancelled().await;
                Ok(json_of(&plan["value"]))
            }
            "enqueue" => {
                let queue: queue::Queue<Raw, Raw> =
                    queue::Queue::new(self.storage.clone(), context.meta().queue.clone())
                        .map_err(JobError::retryable)?;
                let said = &plan["job"];
                let kind = queue::Kind::from_static("child");
                let id = said["id"].as_str().unwrap_or_default().to_owned();
                let mut options = jobs::options(said);
                // The trace of a job goes on where the program says so.
                let headers = context.headers();
                for (name, trace) in headers.iter().filter(|(name, _)| *name == "traceparent") {
                    options = options.header(name, trace);
                }
                let children = queue.of_kind(kind);
                let stored = children.enqueue_with(id, Raw(json_of(&Value::Null)), options).await;
                stored.map_err(JobError::retryable)?;
                Ok(json_of(&Value::Null))
            }
            other => Err(JobError::terminal(format!("a handler cannot {other}"))),
        }
    }
}

/// A job as a handler sees it, under the names of the protocol.
fn job(payload: &Payload, context: &Context) -> Value {
    let meta = context.meta();
    let headers: serde_json::Map<_, _> =
        context.headers().iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let mut said = json!({
        "queue": meta.queue.as_str(),
        "id": meta.id.as_str(),
        "kind": meta.kind.as_str(),
        "attempt": context.attempt(),
        "epoch": context.epoch(),
        "headers": headers,
        "last_error": meta.last_error.as_ref().map(jobs::failure),
    });
    jobs::shown(&mut said, "payload", payload);
    said
}

fn json_of(value: &Value) -> Payload {
    Payload::new(value.to_string(), ContentType::from_static("application/json"))
}
