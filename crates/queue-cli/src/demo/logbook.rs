//! What a worker process writes down about its jobs: one line each, in a file of its own.

use queue::{Clock, JobMeta, SystemClock, Timestamp};
use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::Path,
};

/// What happened to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An attempt starts.
    Start,
    /// It is done, and the result is on its way to the store.
    End,
    /// It failed, on purpose.
    Fail,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) step: Step,
    /// On the clock of this machine, which all processes of the demo read.
    pub(super) at: Timestamp,
    pub(super) id: String,
}

/// Writes a log. Each line is one write to the operating system, so that a killed process has
/// written all it did.
#[derive(Debug)]
pub(super) struct Logbook(File);

impl Logbook {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self(OpenOptions::new().append(true).create(true).open(path)?))
    }

    pub(super) fn write(&self, step: Step, job: &JobMeta) -> io::Result<()> {
        let at = SystemClock.now().as_millis();
        let line = format!("{} {at} {}\n", step.as_str(), job.id);
        (&self.0).write_all(line.as_bytes())
    }
}

/// Reads a log while it is being written.
#[derive(Debug)]
pub(super) struct LogReader {
    file: BufReader<File>,
    /// The start of a line whose end is not written yet.
    partial: String,
}

impl LogReader {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: BufReader::new(File::open(path)?), partial: String::new() })
    }

    /// The lines that came since the last call.
    pub(super) fn fresh(&mut self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        while self.file.read_line(&mut self.partial)? > 0 {
            if !self.partial.ends_with('\n') {
                break;
            }
            entries.push(parse(self.partial.trim_end())?);
            self.partial.clear();
        }
        Ok(entries)
    }
}

impl Step {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::End => "end",
            Self::Fail => "fail",
        }
    }
}

fn parse(line: &str) -> io::Result<Entry> {
    let mut words = line.splitn(3, ' ');
    let step = words
        .next()
        .and_then(|word| [Step::Start, Step::End, Step::Fail].into_iter().find(|step| step.as_str() == word));
    let at = words.next().and_then(|word| word.parse().ok()).map(Timestamp::from_millis);
    let entry = step.zip(at).zip(words.next());
    let ((step, at), id) = entry.ok_or_else(|| io::Error::other(format!("no line of a log: {line:?}")))?;
    Ok(Entry { step, at, id: id.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_once_its_end_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut file = File::create(&path).unwrap();
        let mut reader = LogReader::open(&path).unwrap();
        assert_eq!(reader.fresh().unwrap(), []);
        file.write_all(b"start 7 a b\nend 8").unwrap();
        let first = Entry { step: Step::Start, at: Timestamp::from_millis(7), id: "a b".to_owned() };
        assert_eq!(reader.fresh().unwrap(), [first]);
        file.write_all(b" a b\n").unwrap();
        assert_eq!(reader.fresh().unwrap()[0].step, Step::End);
        file.write_all(b"nonsense\n").unwrap();
        assert!(reader.fresh().is_err());
    }
}
