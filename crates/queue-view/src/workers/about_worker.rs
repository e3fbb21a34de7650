//! What a worker says about itself in the store.

use bytes::Bytes;
use queue_core::{JobMeta, Timestamp, WorkerInfo};
use serde::{Deserialize, Serialize};

/// The most current jobs that a worker names.
const JOBS_MAX: usize = 100;
/// Most bytes for the list of queues, and for that of kinds, so that neither leaves the jobs
/// without room.
const LIST_BYTES_MAX: usize = WorkerInfo::ABOUT_BYTES_MAX / 4;
/// Most bytes of a host's name.
const HOST_BYTES_MAX: usize = 255;

/// What a worker of this library says about itself in [`WorkerInfo::about`], as JSON.
///
/// The whole is cut to the [4 KiB](WorkerInfo::ABOUT_BYTES_MAX) that stores keep: the first queues
/// and the first kinds, up to 1 KiB of each, and the jobs that are held longest, up to a hundred.
/// [`left_out`](Self::left_out) says how many are missing.
///
/// ```
/// # use queue_core::{WorkerId, WorkerInfo};
/// use queue_view::AboutWorker;
///
/// # let mut info = WorkerInfo::new(WorkerId::from_static("a"));
/// # info.about = r#"{"version":"0.1.0","pid":17,"host":"web-3"}"#.into();
/// let about = AboutWorker::read(&info.about).expect("it is of this library");
/// assert_eq!((about.pid, &*about.host), (17, "web-3"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AboutWorker {
    /// The version of this library.
    pub version: String,
    /// The number of its process.
    pub pid: u32,
    /// What its host calls itself.
    pub host: String,
    /// When the run began, in store time; `None` before the first answer of the store.
    #[serde(with = "optional_millis")]
    pub started_at: Option<Timestamp>,
    /// The kinds that the worker has handlers for; `None` if it takes any, or does not say.
    pub kinds: Option<Vec<String>>,
    /// The queues that it works on.
    pub queues: Vec<QueueWork>,
    /// The jobs that it holds, longest first.
    pub jobs: Vec<CurrentJob>,
    /// How much there was no room for.
    pub left_out: LeftOutCounts,
}

/// A queue of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct QueueWork {
    /// Its name.
    pub name: String,
    /// Its share of the worker's slots.
    pub weight: u32,
    /// How many of its jobs the worker holds.
    pub holds: usize,
}

/// A job that a worker holds: it runs, waits for a handler, or waits for its outcome to be stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CurrentJob {
    /// The queue of the job.
    pub queue: String,
    /// The id of the job.
    pub id: String,
    /// Which life of it.
    pub seq: u64,
    /// The number of the attempt.
    pub attempt: u32,
    /// When it was claimed, in store time.
    #[serde(with = "millis")]
    pub since: Timestamp,
}

/// How much a worker leaves out because there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LeftOutCounts {
    /// Queues.
    pub queues: usize,
    /// Kinds.
    pub kinds: usize,
    /// Jobs that it holds.
    pub jobs: usize,
}

impl AboutWorker {
    /// Reads what a worker announced; `None` if it is not in this form, since a worker of another
    /// library may announce anything.
    pub fn read(about: &[u8]) -> Option<Self> {
        serde_json::from_slice(about).ok()
    }

    /// The kinds in a cell of a table: `any`, or those that have a handler.
    pub fn kinds_text(&self) -> String {
        match self.kinds.as_deref() {
            None => "any".to_owned(),
            Some([]) => "none".to_owned(),
            Some(kinds) => kinds.join(", "),
        }
    }

    /// Makes the bytes for [`WorkerInfo::about`], cut to fit.
    pub fn to_bytes(&self) -> Bytes {
        json(&self.cut()).into()
    }

    /// Cuts the lists one after the other: what the first leaves of the room goes to the next.
    fn cut(&self) -> Self {
        let kinds = self.kinds.as_deref().unwrap_or_default();
        let all = LeftOutCounts { queues: self.queues.len(), kinds: kinds.len(), jobs: self.jobs.len() };
        let host = start_of(&self.host, HOST_BYTES_MAX).to_owned();
        // The counts are replaced in the end. They can only become shorter.
        let head = Self {
            version: self.version.clone(),
            pid: self.pid,
            host,
            started_at: self.started_at,
            kinds: self.kinds.as_ref().map(|_| Vec::new()),
            left_out: all,
            ..Self::default()
        };
        let mut room = WorkerInfo::ABOUT_BYTES_MAX.saturating_sub(json_len(&head));
        let queues = first(&self.queues, &mut room, LIST_BYTES_MAX, usize::MAX);
        let kinds = first(kinds, &mut room, LIST_BYTES_MAX, usize::MAX);
        let jobs = first(&self.jobs, &mut room, usize::MAX, JOBS_MAX);
        let left_out = LeftOutCounts {
            queues: all.queues - queues.len(),
            kinds: all.kinds - kinds.len(),
            jobs: all.jobs - jobs.len(),
        };
        let kinds = self.kinds.as_ref().map(|_| kinds);
        Self { kinds, queues, jobs, left_out, ..head }
    }
}

impl QueueWork {
    /// A queue, its share of the slots, and how many of its jobs the worker holds.
    pub const fn new(name: String, weight: u32, holds: usize) -> Self {
        Self { name, weight, holds }
    }
}

impl CurrentJob {
    /// A job that a worker holds: what it was when it was claimed.
    pub fn of(meta: &JobMeta) -> Self {
        Self {
            queue: meta.queue.to_string(),
            id: meta.id.to_string(),
            seq: meta.seq.get(),
            attempt: meta.attempt(),
            since: meta.entered_at(),
        }
    }
}

/// The longest start of a text that has at most this many bytes, in whole characters.
fn start_of(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The first entries of a list that fit into the room, each with its comma.
fn first<T: Serialize + Clone>(list: &[T], room: &mut usize, bytes_max: usize, max: usize) -> Vec<T> {
    let mut left = bytes_max.min(*room);
    let whole = left;
    let fits = |entry: &&T| {
        let len = json_len(entry) + 1;
        let is_room = len <= left;
        left = left.saturating_sub(len);
        is_room
    };
    let kept: Vec<T> = list.iter().take(max).take_while(fits).cloned().collect();
    *room -= kept.iter().map(|entry| json_len(entry) + 1).sum::<usize>().min(whole);
    kept
}

fn json_len(value: &impl Serialize) -> usize {
    json(value).len()
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("texts and numbers have a form in JSON")
}

/// Times in JSON are milliseconds.
mod millis {
    use queue_core::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference to the field")]
    pub(super) fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(time.as_millis())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(from).map(Timestamp::from_millis)
    }
}

mod optional_millis {
    use queue_core::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "serde gives a reference to the field"
    )]
    pub(super) fn serialize<S: Serializer>(time: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
        time.map(Timestamp::as_millis).serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        Option::<i64>::deserialize(from).map(|time| time.map(Timestamp::from_millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: String, seq: u64) -> CurrentJob {
        CurrentJob { queue: "q".to_owned(), id, seq, attempt: 1, since: Timestamp::from_millis(7) }
    }

    fn about(jobs: usize, id: &str) -> AboutWorker {
        AboutWorker {
            version: "0.1.0".to_owned(),
            host: "h".to_owned(),
            kinds: Some(vec!["email".to_owned()]),
            started_at: Some(Timestamp::from_millis(1_767_225_600_000)),
            jobs: (0..jobs).map(|n| job(format!("{id}{n}"), n as u64)).collect(),
            ..AboutWorker::default()
        }
    }

    #[test]
    fn what_a_worker_tells_is_read_as_it_was_told() {
        let told = about(3, "a");
        assert_eq!(AboutWorker::read(&told.to_bytes()), Some(told));
        assert_eq!(AboutWorker::read(b"\xff{}"), None);
        assert_eq!(AboutWorker::read(b"{}"), Some(AboutWorker::default()), "others may tell less");
    }

    #[test]
    fn jobs_are_cut_to_a_hundred_and_to_the_room_that_is_left() {
        for id in ["", "\"\\\u{1F600}", &"x".repeat(200)] {
            let told = about(1000, id);
            let bytes = told.to_bytes();
            let read = AboutWorker::read(&bytes).expect("it is whole");
            assert!(bytes.len() <= WorkerInfo::ABOUT_BYTES_MAX, "{} bytes", bytes.len());
            assert!(!read.jobs.is_empty() && read.jobs.len() <= JOBS_MAX);
            assert_eq!(read.left_out.jobs, 1000 - read.jobs.len());
            assert_eq!(read.jobs, told.jobs[..read.jobs.len()], "those that come first stay");
        }
    }

    #[test]
    fn many_queues_and_kinds_leave_room_for_jobs() {
        let long = |n: usize| format!("{n}{}", "\"".repeat(200));
        let queues = (0..100).map(|n| QueueWork { name: long(n), weight: 1, holds: 0 }).collect();
        let kinds = Some((0..500).map(long).collect());
        let told = AboutWorker { queues, kinds, host: "é".repeat(300), ..about(100, "a") };
        let bytes = told.to_bytes();
        let read = AboutWorker::read(&bytes).expect("it is whole");
        assert!(bytes.len() <= WorkerInfo::ABOUT_BYTES_MAX, "{} bytes", bytes.len());
        assert!(read.jobs.len() > 5 && !read.queues.is_empty());
        assert_eq!(read.left_out.queues, 100 - read.queues.len());
        assert_eq!(read.left_out.kinds, 500 - read.kinds.map_or(0, |kinds| kinds.len()));
        assert_eq!(read.host, "é".repeat(127));
    }
}
