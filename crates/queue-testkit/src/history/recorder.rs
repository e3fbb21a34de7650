//! Records the events of one process in the order in which they happen.

use parking_lot::{Mutex, MutexGuard};

use crate::history::{Event, History, Phase, stopwatch::Stopwatch};

/// Records events in the order in which they happen. All handles and tasks of one process share it.
///
/// Each event takes one short critical section; nothing is serialized before
/// [`history`](Self::history).
#[derive(Debug)]
pub struct Recorder {
    stopwatch: Stopwatch,
    taken: Mutex<RecorderState>,
}

#[derive(Debug, Default)]
struct RecorderState {
    events: Vec<Event>,
    last_call: u64,
    last_process: u64,
}

/// A call that has begun and not ended. Dropping it leaves the call open, which means that its
/// outcome is unknown.
#[derive(Debug)]
pub struct OpenCall {
    number: u64,
    asked: Vec<Event>,
}

impl Recorder {
    /// An empty recording.
    pub fn new() -> Self {
        Self { stopwatch: Stopwatch::start(), taken: Mutex::default() }
    }

    /// A number for one more process: a task, or anything else that makes one call after another.
    pub fn new_process(&self) -> u64 {
        let mut taken = self.lock();
        taken.last_process += 1;
        taken.last_process
    }

    /// Records the begin of a call, before it is sent: one event per item. The recorder fills in
    /// the numbers.
    pub fn invoke(&self, items: Vec<Event>) -> OpenCall {
        let mut taken = self.lock();
        taken.last_call += 1;
        let number = taken.last_call;
        let mut asked = items;
        for (item, event) in (0..).zip(&mut asked) {
            (event.call, event.item, event.phase) = (number, item, Phase::Invoke);
            taken.push(event.clone(), self.stopwatch.now_ns());
        }
        OpenCall { number, asked }
    }

    /// Records the answers of a call. Each names its item; the recorder copies operation, queue,
    /// process and job from the question where the answer omits them. An item that is named in the
    /// phase Fail had no effect; one that is not named stays open.
    pub fn ok(&self, call: OpenCall, answers: Vec<Event>) {
        let OpenCall { number, asked } = call;
        self.push_all(answers.into_iter().map(|answer| complete(number, &asked, answer)).collect());
    }

    /// Records that a call certainly had no effect.
    pub fn fail(&self, call: OpenCall) {
        self.end(call, Phase::Fail);
    }

    /// Records that the outcome of a call is unknown.
    pub fn info(&self, call: OpenCall) {
        self.end(call, Phase::Info);
    }

    /// Records an event that begins and ends at once, such as the effect of a handler.
    pub fn mark(&self, event: Event) {
        let call = self.invoke(vec![event]);
        self.ok(call, vec![Event::default()]);
    }

    /// All events so far.
    pub fn history(&self) -> History {
        History::new(self.lock().events.clone())
    }

    /// The events from this position on, for a caller that writes them out step by step.
    pub fn since(&self, place: usize) -> Vec<Event> {
        self.lock().events.get(place..).unwrap_or_default().to_vec()
    }

    fn end(&self, call: OpenCall, phase: Phase) {
        let OpenCall { number: _, asked } = call;
        self.push_all(asked.into_iter().map(|event| Event { phase, ..event }).collect());
    }

    fn push_all(&self, events: Vec<Event>) {
        let mut taken = self.lock();
        for event in events {
            taken.push(event, self.stopwatch.now_ns());
        }
    }

    /// Recovers from the panic of another task, which leaves whole events only.
    fn lock(&self) -> MutexGuard<'_, RecorderState> {
        self.taken.lock()
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl RecorderState {
    fn push(&mut self, mut event: Event, now_ns: u64) {
        event.index = self.events.len() as u64;
        event.time_mono = now_ns;
        self.events.push(event);
    }
}

impl OpenCall {
    /// The process that made the call.
    pub fn process(&self) -> u64 {
        self.asked.first().map_or(0, |event| event.process)
    }
}

/// Completes an answer with the fields that it shares with its question.
fn complete(call: u64, asked: &[Event], answer: Event) -> Event {
    let asked = asked.get(answer.item as usize).cloned().unwrap_or_default();
    Event {
        call,
        phase: if answer.phase == Phase::Fail { Phase::Fail } else { Phase::Ok },
        process: asked.process,
        op: asked.op,
        queue: asked.queue,
        id: answer.id.or(asked.id),
        seq: answer.seq.or(asked.seq),
        token: answer.token.or(asked.token),
        ..answer
    }
}
