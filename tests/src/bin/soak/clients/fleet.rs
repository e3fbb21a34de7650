//! The workers of a round, in two languages: killed and replaced, or stopped for longer than a
//! lease.

use crate::failed::Failed;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep},
};

/// A worker is a victim only once it has noted as much, which takes some claims.
const WORKED_BYTES: u64 = 4_000;
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Longer than a worker needs for its first claims, on any machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The programs of the two languages.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    pub(super) python: PathBuf,
    pub(super) node: PathBuf,
    /// The folder `clients` of the work tree.
    pub(super) clients: PathBuf,
}

/// Where the workers of a round find what they need.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    /// The ways to the service; the workers take turns.
    pub(super) urls: Vec<String>,
    pub(super) token_file: PathBuf,
    pub(super) directory: PathBuf,
}

/// Dropping it kills the workers.
#[derive(Debug)]
pub(super) struct Fleet {
    programs: Programs,
    around: Surroundings,
    workers: Vec<Member>,
    started: usize,
}

#[derive(Debug)]
struct Member {
    number: usize,
    language: Language,
    child: Child,
    wakes_at: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
enum Language {
    Python,
    Node,
}

impl Fleet {
    /// Starts so many workers of each language.
    pub(super) fn start(programs: &Programs, around: Surroundings, of_each: usize) -> Result<Self, Failed> {
        let mut fleet = Self { programs: programs.clone(), around, workers: Vec::new(), started: 0 };
        for language in [Language::Python, Language::Node] {
            for _ in 0..of_each {
                let member = fleet.member(language)?;
                fleet.workers.push(member);
            }
        }
        Ok(fleet)
    }

    /// How many processes there were.
    pub(super) fn started(&self) -> usize {
        self.started
    }

    pub(super) fn tape(&self, number: usize) -> PathBuf {
        self.around.directory.join(format!("{number}.jsonl"))
    }

    /// How many are stopped now.
    pub(super) fn stopped(&self) -> usize {
        self.workers.iter().filter(|worker| worker.wakes_at.is_some()).count()
    }

    /// One of the workers that run and have worked, once there is one.
    pub(super) async fn victim(&mut self, dice: impl Fn(usize) -> usize) -> Result<usize, Failed> {
        let begun = Instant::now();
        loop {
            self.wake(Instant::now())?;
            self.check()?;
            let ready: Vec<usize> = (0..self.workers.len()).filter(|at| self.has_worked(*at)).collect();
            if !ready.is_empty() {
                return Ok(ready[dice(ready.len())]);
            }
            if begun.elapsed() > PATIENCE {
                return Err("no worker works".into());
            }
            sleep(LOOK_EVERY).await;
        }
    }

    fn has_worked(&self, at: usize) -> bool {
        let worker = &self.workers[at];
        let length = fs::metadata(self.tape(worker.number)).map_or(0, |found| found.len());
        worker.wakes_at.is_none() && length > WORKED_BYTES
    }

    pub(super) async fn replace(&mut self, at: usize) -> Result<(), Failed> {
        self.workers[at].child.kill().await?;
        let language = self.workers[at].language;
        self.workers[at] = self.member(language)?;
        Ok(())
    }

    pub(super) fn stop(&mut self, at: usize, wakes_at: Instant) -> Result<(), Failed> {
        self.workers[at].signal(Signal::STOP)?;
        self.workers[at].wakes_at = Some(wakes_at);
        Ok(())
    }

    /// Wakes those whose time has come.
    pub(super) fn wake(&mut self, now: Instant) -> Result<(), Failed> {
        for worker in &mut self.workers {
            if worker.wakes_at.is_some_and(|at| at <= now) {
                worker.wakes_at = None;
                worker.signal(Signal::CONT)?;
            }
        }
        Ok(())
    }

    pub(super) fn wake_all(&mut self) -> Result<(), Failed> {
        let latest = self.workers.iter().filter_map(|worker| worker.wakes_at).max();
        latest.map_or(Ok(()), |latest| self.wake(latest))
    }

    pub(super) async fn kill_all(&mut self) -> Result<(), Failed> {
        self.check()?;
        for worker in &mut self.workers {
            worker.child.kill().await?;
        }
        Ok(())
    }

    /// Fails if a worker has ended by itself.
    fn check(&mut self) -> Result<(), Failed> {
        for worker in &mut self.workers {
            if let Some(status) = worker.child.try_wait()? {
                let told =
                    fs::read_to_string(told(&self.around.directory, worker.number)).unwrap_or_default();
                let language = worker.language;
                return Err(format!("a worker in {language:?} ended by itself: {status}\n{told}").into());
            }
        }
        Ok(())
    }

    fn member(&mut self, language: Language) -> Result<Member, Failed> {
        let number = self.started;
        let mut command = match language {
            Language::Python => {
                program(&self.programs.python, &self.programs.clients, "python/tests/kill_worker.py")
            }
            Language::Node => {
                program(&self.programs.node, &self.programs.clients, "node/tests/kill-worker.js")
            }
        };
        command.env("QUEUE_URL", &self.around.urls[number % self.around.urls.len()]);
        command.env("QUEUE_TOKEN_FILE", &self.around.token_file).env("QUEUE_TAPE", self.tape(number));
        command.env("QUEUE_NUMBER", number.to_string()).env("QUEUE_STOP", stop_file(&self.around.directory));
        // Half of them have no heartbeats, so that only a settle learns of a lost lease.
        if (number / 2).is_multiple_of(2) {
            command.env("QUEUE_DEAF", "1");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(fs::File::create(told(&self.around.directory, number))?);
        let child = command.kill_on_drop(true).spawn()?;
        self.started += 1;
        Ok(Member { number, language, child, wakes_at: None })
    }
}

impl Member {
    fn signal(&self, signal: Signal) -> Result<(), Failed> {
        let number = self.child.id().ok_or("it was waited for")?;
        let pid = Pid::from_raw(number.cast_signed()).ok_or("a process number is not zero")?;
        Ok(kill_process(pid, signal)?)
    }
}

/// Producers end once this file exists.
pub(super) fn stop_file(directory: &Path) -> PathBuf {
    directory.join("stop")
}

fn told(directory: &Path, number: usize) -> PathBuf {
    directory.join(format!("{number}.stderr"))
}

fn program(language: &Path, clients: &Path, file: &str) -> Command {
    let mut command = Command::new(language);
    command.arg(clients.join(file)).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("PYTHONPATH", clients.join("python/src"));
    command
}
