//! The steps of a scenario.

use super::{
    jobs,
    pattern::{Names, check, filled},
    proxy::Proxy,
    schedules,
    served::Served,
    work,
};
use queue::{Queue, Raw, Storage};
use serde_json::{Value, json};
use std::{fmt::Write, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

const UNTIL: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(10);

/// What a step may do; the other members say how.
const ACTIONS: [&str; 14] = [
    "open",
    "call",
    "until",
    "work",
    "requests",
    "fault",
    "server",
    "enqueue",
    "enqueue_many",
    "wait",
    "cancel",
    "get",
    "failures",
    "schedules",
];

/// One scenario under way.
pub(crate) struct Scenario {
    server: Arc<Served>,
    proxy: Proxy,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) jobs: Queue<Raw, Raw>,
    token: String,
    pub(crate) names: Names,
    /// What the handlers of a worker that runs now were given.
    pub(crate) seen: Option<work::Seen>,
}

pub(crate) async fn run(said: &Value, server: Arc<Served>, number: usize) -> Result<(), String> {
    let name = said["queue"].as_str().unwrap_or("scenario-{n}").replace("{n}", &number.to_string());
    let proxy = Proxy::start(server.clone()).await;
    let url = format!("http://{}/?token-file={}", proxy.address, server.token_file().display());
    let storage = queue::open(&url).await.map_err(|error| error.to_string())?;
    let jobs = Queue::new(storage.clone(), name).map_err(|error| error.to_string())?;
    let token = said["token"].as_str().unwrap_or("all").to_owned();
    let mut scenario =
        Scenario { server, proxy, storage: storage.clone(), jobs, token, names: Names::new(), seen: None };
    scenario.names.insert("it".to_owned(), said["it"].clone());
    let ran = scenario.steps(&said["steps"]).await;
    storage.close().await.map_err(|error| error.to_string())?;
    ran
}

impl Scenario {
    pub(crate) async fn steps(&mut self, steps: &Value) -> Result<(), String> {
        for step in steps.as_array().into_iter().flatten() {
            // A worker has steps of its own in it.
            let ran = Box::pin(self.step(step)).await;
            ran.map_err(|why| format!("{}: {why}", step.to_string().chars().take(150).collect::<String>()))?;
        }
        Ok(())
    }

    async fn step(&mut self, step: &Value) -> Result<(), String> {
        let action = ACTIONS.iter().find(|name| !step[**name].is_null()).ok_or("there is no such step")?;
        // Patterns, and what later steps refer to, are filled when they are needed.
        let is_later = matches!(*action, "work" | "requests");
        let filled = if is_later { step[*action].clone() } else { filled(&step[*action], &self.names) };
        match *action {
            "call" => {
                let answer = self.call(&filled, step).await?;
                self.judge(step, &answer)
            }
            "until" => self.until(&filled, step).await,
            "work" => work::run(self, &filled).await,
            "requests" => {
                let (path, least) =
                    (filled["on"].as_str().ok_or("no path")?, filled["list"].as_array().map_or(0, Vec::len));
                let count = self.proxy.count(path);
                if count >= least { Ok(()) } else { Err(format!("{count} requests, not {least}")) }
            }
            "fault" => {
                self.proxy.fault(&filled);
                Ok(())
            }
            "server" => self.server_step(&filled).await,
            _ => {
                let ended = match *action {
                    "open" => self.open(&filled).await,
                    "enqueue" => jobs::enqueue(self, &filled).await,
                    "enqueue_many" => jobs::enqueue_many(self, &filled).await,
                    "wait" => jobs::wait(self, &filled).await,
                    "cancel" => jobs::cancel(self, &filled).await,
                    "get" => match jobs::job(self, &filled).await {
                        Ok(None) => return self.client(step, Err(jobs::not_found())),
                        ended => ended.map(Option::unwrap_or_default),
                    },
                    "failures" => jobs::failures(self).await,
                    "schedules" => match schedules::call(self, &filled).await {
                        Ok(None) => return self.client(step, Err(jobs::not_found())),
                        ended => ended.map(Option::unwrap_or_default),
                    },
                    other => return Err(format!("there is no step {other}")),
                };
                self.client(step, ended.map_err(|error| jobs::problem(&error)))
            }
        }
    }

    /// What a call of the client returned, or the problem that its failure is.
    fn client(&mut self, step: &Value, ended: Result<Value, Value>) -> Result<(), String> {
        match (ended, step.get("problem")) {
            (Ok(value), None) => {
                check(step.get("answer").unwrap_or(&json!({"$any": true})), &value, &mut self.names)
            }
            (Ok(value), Some(_)) => Err(format!("it returned {value}")),
            (Err(found), None) => Err(format!("it failed: {found}")),
            (Err(found), Some(problem)) => {
                // A status is one of `/v1`.
                let mut pattern = problem.clone();
                pattern.as_object_mut().ok_or("no problem")?.remove("status");
                check(&pattern, &found, &mut self.names)
            }
        }
    }

    async fn call(&self, line: &Value, step: &Value) -> Result<(u16, Value), String> {
        let queue = percent_encoded(self.jobs.name().as_str());
        let line = line.as_str().ok_or("no call")?.replace("{queue}", &queue);
        let body = filled(step.get("body").unwrap_or(&Value::Null), &self.names);
        let text = match filled(step.get("body_text").unwrap_or(&Value::Null), &self.names) {
            Value::String(text) => Some(text),
            _ if body.is_null() => None,
            _ => Some(body.to_string()),
        };
        let headers: Vec<(String, String)> = step["headers"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect();
        let token = step["token"].as_str().unwrap_or(&self.token);
        self.server.call(&line, token, &headers, text.as_deref()).await
    }

    fn judge(&mut self, step: &Value, (status, answer): &(u16, Value)) -> Result<(), String> {
        if step["status"].as_u64().is_some_and(|expected| expected != u64::from(*status)) {
            return Err(format!("the status is {status}: {answer}"));
        }
        step.get("answer").map_or(Ok(()), |pattern| check(pattern, answer, &mut self.names))
    }

    async fn until(&mut self, line: &Value, step: &Value) -> Result<(), String> {
        let end = Instant::now() + UNTIL;
        loop {
            let answer = self.call(line, step).await;
            let judged = answer
                .and_then(|answer| self.judge(step, &answer))
                .and_then(|()| self.has_started(line, step));
            if judged.is_ok() || Instant::now() > end {
                return judged;
            }
            sleep(LOOK).await;
        }
    }

    /// A job that is processing may be on its way to the worker still; steps mean that its handler
    /// runs.
    fn has_started(&self, line: &Value, step: &Value) -> Result<(), String> {
        let Some(seen) = self.seen.as_ref().filter(|_| step["answer"]["state"] == "processing") else {
            return Ok(());
        };
        let id = line.as_str().and_then(|line| line.rsplit('/').next()).unwrap_or_default();
        let has = seen.lock().iter().any(|job| job["id"] == id);
        if has { Ok(()) } else { Err(format!("the handler of {id} has not started")) }
    }

    /// Opens a handle elsewhere, which must not be.
    async fn open(&self, url: &Value) -> Result<Value, queue::Error> {
        let token = self.server.token_file().display().to_string();
        let url = format!("{}/?token-file={token}", url.as_str().unwrap_or_default());
        queue::open(&url).await.map(|_| Value::Null)
    }

    async fn server_step(&self, said: &Value) -> Result<(), String> {
        let (server, kills) = (self.server.clone(), said == "kill");
        let done = tokio::task::spawn_blocking(move || if kills { server.kill() } else { server.restart() });
        done.await.map_err(|error| error.to_string())
    }
}

fn percent_encoded(name: &str) -> String {
    name.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("text has room");
        }
        text
    })
}
