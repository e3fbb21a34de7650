//! The changes, one of each kind after the other, and what is right about their answers.

use super::{NAME, every, insisted};
use queue::{
    Change, ErrorKind, JobId, Queue, Result, StorageExt,
    queue_core::Detail,
    schedules::{Declared, Put, ScheduleStatus},
};
use std::collections::BTreeMap;

/// The rules of the changer in turns, for `put` and `declare`, which no declarer has.
const RULES: [[u32; 2]; 2] = [[8, 9], [10, 11]];

/// The answers to the changes of one kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    done: usize,
    /// The bound of tries was reached, which says to try again.
    conflicts: usize,
    pub(super) wrong: Vec<String>,
}

pub(super) struct Changer {
    queue: Queue<String>,
    turn: usize,
    answers: BTreeMap<&'static str, Answers>,
}

impl Changer {
    pub(super) fn new(queue: Queue<String>) -> Self {
        Self { queue, turn: 0, answers: BTreeMap::new() }
    }

    pub(super) fn answers(self) -> BTreeMap<&'static str, Answers> {
        self.answers
    }

    /// A schedule that was removed is made again; by which program does not matter.
    pub(super) async fn make_sure_of_it(&self) {
        let (schedules, first) = (self.queue.schedules(), every(1));
        while self.read().await.is_none() {
            match insisted(|| schedules.put(&first)).await.0 {
                Ok(_) => {}
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
            }
        }
    }

    pub(super) async fn change_each_way(&mut self) {
        let schedules = self.queue.schedules();
        self.turn += 1;
        let [to_put, to_declare] = RULES[self.turn % RULES.len()].map(every);
        let (put, in_doubt) = insisted(|| schedules.put(&to_put)).await;
        self.note("put", put, |put| *put == Put::Changed || in_doubt && *put == Put::Unchanged);
        let (declared, in_doubt) = insisted(|| schedules.declare([to_declare.clone()])).await;
        let is_right =
            |declared: &Declared| declared.changed == [NAME] || in_doubt && declared.unchanged == [NAME];
        self.note("declare", declared, is_right);
        let run = insisted(|| schedules.run_now(NAME)).await.0;
        if let Some(Some(id)) = self.note("run_now", run, Option::is_some)
            && !self.has_job(&id).await
        {
            self.wrong("run_now", format!("no job {id}"));
        }
        let paused = insisted(|| schedules.pause(NAME)).await.0;
        if self.note_change("pause", paused) && !self.is_paused().await {
            self.wrong("pause", "it goes on".to_owned());
        }
        let resumed = insisted(|| schedules.resume(NAME)).await.0;
        if self.note_change("resume", resumed) && self.is_paused().await {
            self.wrong("resume", "it is still paused".to_owned());
        }
        let (removed, in_doubt) = insisted(|| schedules.remove(NAME)).await;
        let by_the_try_before = in_doubt && matches!(removed, Ok(Change::Missing));
        self.note_change("remove", if by_the_try_before { Ok(Change::Done) } else { removed });
        self.make_sure_of_it().await;
    }

    async fn read(&self) -> Option<ScheduleStatus> {
        let schedules = self.queue.schedules();
        insisted(|| schedules.get(NAME)).await.0.expect("it reads")
    }

    async fn is_paused(&self) -> bool {
        self.read().await.expect("it is there at every moment").is_paused()
    }

    async fn has_job(&self, id: &JobId) -> bool {
        let (storage, queue) = (self.queue.storage(), self.queue.name());
        let read = insisted(|| storage.get_one(queue, id, Detail::Meta)).await.0;
        read.expect("it reads").is_some()
    }

    fn note_change(&mut self, kind: &'static str, answer: Result<Change>) -> bool {
        self.note(kind, answer, |change| *change == Change::Done).is_some()
    }

    /// Counts an answer, and returns what is right.
    fn note<T: std::fmt::Debug>(
        &mut self,
        kind: &'static str,
        answer: Result<T>,
        is_right: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        let answers = self.answers.entry(kind).or_default();
        match answer {
            Ok(answer) if is_right(&answer) => {
                answers.done += 1;
                return Some(answer);
            }
            Err(error) if error.kind() == ErrorKind::Conflict => answers.conflicts += 1,
            other => answers.wrong.push(format!("{other:?}")),
        }
        None
    }

    fn wrong(&mut self, kind: &'static str, what: String) {
        self.answers.entry(kind).or_default().wrong.push(what);
    }
}
