//! What the handlers of a process write down, in a file of their own: when each began and ended.

use crate::{failed::Failed, many::shared_clock};
use queue::JobMeta;
use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

/// The file of one process. Each line is one write to its end, so a kill leaves whole lines.
#[derive(Debug)]
pub(super) struct HandlerLog(File);

/// A handler that runs. Dropping it notes that it was dropped before its end.
#[derive(Debug)]
pub(super) struct OpenHandler {
    log: Arc<HandlerLog>,
    /// Partition, job and number of the claim.
    what: String,
    has_ended: bool,
}

/// One run of a handler, by the log of its process.
#[derive(Clone, Debug)]
pub(super) struct HandlerRun {
    pub(super) partition: String,
    pub(super) job: String,
    /// The number of the claim within the life of the job.
    pub(super) epoch: u64,
    pub(super) start: Duration,
    /// When it returned, was dropped, or died with its process; `None` if the log ends before.
    pub(super) end: Option<Duration>,
    /// Whether it returned.
    pub(super) has_ended: bool,
}

impl HandlerLog {
    /// A log that is not there yet.
    pub(super) fn create(path: &Path) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self(File::options().append(true).create_new(true).open(path)?)))
    }

    /// Notes the start of a handler.
    pub(super) fn begin(self: &Arc<Self>, job: &JobMeta) -> io::Result<OpenHandler> {
        let partition = job.partition.as_ref().map_or("-", |partition| partition.as_str());
        let what = format!("{partition} {} {}", job.id, job.epoch);
        self.note("start", &what)?;
        Ok(OpenHandler { log: self.clone(), what, has_ended: false })
    }

    fn note(&self, event: &str, what: &str) -> io::Result<()> {
        let line = format!("{event} {what} {}\n", shared_clock().as_nanos());
        (&self.0).write_all(line.as_bytes())
    }
}

impl OpenHandler {
    /// Notes that the handler returns, which is before its lease is settled.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.has_ended = true;
        self.log.note("end", &self.what)
    }
}

impl Drop for OpenHandler {
    fn drop(&mut self) {
        if !self.has_ended {
            // Without the line the handler counts for too long, which makes the judge stricter.
            let _noted = self.log.note("dropped", &self.what);
        }
    }
}

/// Reads the log of a process. Its open handlers ended when it was killed. A process that was
/// killed before it began has no log.
pub(super) fn read(path: &Path, killed_at: Option<Duration>) -> Result<Vec<HandlerRun>, Failed> {
    match fs::read_to_string(path) {
        Ok(text) => parse(&text, killed_at),
        Err(error) if error.kind() == io::ErrorKind::NotFound && killed_at.is_some() => Ok(Vec::new()),
        Err(error) => Err(format!("{}: {error}", path.display()).into()),
    }
}

fn parse(text: &str, killed_at: Option<Duration>) -> Result<Vec<HandlerRun>, Failed> {
    let mut runs: Vec<HandlerRun> = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    for line in text.lines() {
        let wrong = || format!("a line that no handler wrote: {line:?}");
        let [event, partition, job, epoch, at] =
            line.split(' ').collect::<Vec<_>>().try_into().map_err(|_| wrong())?;
        let (epoch, at) = (epoch.parse()?, Duration::from_nanos(at.parse()?));
        let key = format!("{job} {epoch}");
        if event == "start" {
            let twice = open.insert(key, runs.len());
            if twice.is_some() {
                return Err(format!("two handlers have one lease: {line}").into());
            }
            let (partition, job) = (partition.to_owned(), job.to_owned());
            runs.push(HandlerRun { partition, job, epoch, start: at, end: killed_at, has_ended: false });
        } else {
            let run = &mut runs[open.remove(&key).ok_or_else(wrong)?];
            (run.end, run.has_ended) = (Some(at), event == "end");
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_without_an_end_ended_with_its_process() {
        let text = "start a j1 1 5\nstart a j2 3 6\nend a j1 1 7\nstart b j3 1 8\ndropped b j3 1 9\n";
        let runs = parse(text, Some(Duration::from_nanos(20))).expect("a log");
        let ends: Vec<_> =
            runs.iter().map(|run| (run.end.map(|end| end.as_nanos()), run.has_ended)).collect();
        assert_eq!(ends, [(Some(7), true), (Some(20), false), (Some(9), false)]);
        assert_eq!(parse("start a j1 1 5\n", None).expect("a log")[0].end, None);
        assert!(parse("end a j1 1 5\n", None).is_err());
        assert!(parse("start a j1 1 5\nstart a j1 1 6\n", None).is_err());
    }
}
