//! The callers: concurrent calls, each checked for its answer and its deadline.

use super::{
    call_counts::CallCounts,
    exchange::{Answer, CallQueue, REFUSED, expected},
    settings::WaitsArgs,
};
use queue::WaitError;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, timeout},
};

/// The time that the last read may take beyond the deadline, twice, for a busy machine.
const LATE: Duration = Duration::from_secs(2);
/// The least time of callers that give up or have a short deadline.
const SHORT: Duration = Duration::from_millis(1);
/// The most repeats of a call that the store refuses.
const TRIES_MAX: u64 = 100;

/// Makes all calls, a fixed number at a time.
pub(super) async fn make(queue: &CallQueue, settings: &WaitsArgs) -> CallCounts {
    let begun = Arc::new(AtomicU64::new(0));
    let calls = settings.calls;
    let deadline = settings.deadline();
    let mut callers = JoinSet::new();
    for _ in 0..settings.concurrency {
        let mut caller = Caller { queue: queue.clone(), deadline, tally: CallCounts::default() };
        let begun = begun.clone();
        callers.spawn(async move {
            loop {
                let number = begun.fetch_add(1, SeqCst);
                if number >= calls {
                    return caller.tally;
                }
                caller.call(number).await;
            }
        });
    }
    let mut all = CallCounts::default();
    callers.join_all().await.into_iter().for_each(|tally| all.merge(tally));
    all
}

struct Caller {
    queue: CallQueue,
    deadline: Duration,
    tally: CallCounts,
}

/// The end of one wait, and its time.
struct WaitEnd {
    answer: Result<Answer, WaitError>,
    took: Duration,
    /// How often the call was repeated.
    again: u64,
}

impl Caller {
    /// Makes one call, beside other calls about the same job.
    async fn call(&mut self, number: u64) {
        let short = SHORT * (1 + (number / 10 % 20) as u32);
        let queue = &self.queue;
        let patient = self.deadline;
        let beside = async {
            match number % 10 {
                1 => Beside::Second(ask(queue, number, patient).await),
                2 => Beside::Dropped(timeout(short, ask(queue, number, patient)).await.is_err()),
                4 => Beside::Hasty(ask(queue, number, short).await),
                _ => Beside::Nobody,
            }
        };
        let (ended, beside) = tokio::join!(ask(queue, number, patient), beside);
        self.tally.latencies.note(ended.took);
        self.tally.right += u64::from(self.check(number, &ended, patient));
        match beside {
            Beside::Second(ended) => self.tally.seconds += u64::from(self.check(number, &ended, patient)),
            Beside::Dropped(was_waiting) => self.tally.gave_up += u64::from(was_waiting),
            Beside::Hasty(ended) => self.check_hasty(number, &ended, short),
            Beside::Nobody => {}
        }
    }

    fn check_hasty(&mut self, number: u64, ended: &WaitEnd, deadline: Duration) {
        if matches!(ended.answer, Err(WaitError::TimedOut { .. })) {
            self.tally.timed_out += 1;
            self.time(ended, deadline);
        } else {
            self.check(number, ended, deadline);
        }
    }

    /// Whether it ended as it must.
    fn check(&mut self, number: u64, ended: &WaitEnd, deadline: Duration) -> bool {
        self.time(ended, deadline);
        let is_right = match (&ended.answer, expected(number)) {
            (Ok(answer), Some(expected)) => *answer == expected,
            (Err(WaitError::Failed { error: Some(failure), .. }), None) => failure.name() == REFUSED,
            _ => false,
        };
        if !is_right {
            let answer = format!("{:?}", ended.answer);
            self.tally.complain(format!("call {number}: {}", answer.chars().take(200).collect::<String>()));
        }
        is_right
    }

    fn time(&mut self, ended: &WaitEnd, deadline: Duration) {
        // A call that was refused began again.
        let over = ended.took.saturating_sub(deadline * (1 + ended.again as u32));
        self.tally.over_max = self.tally.over_max.max(over);
        self.tally.late += u64::from(over > LATE);
        self.tally.asked_again += ended.again;
    }
}

enum Beside {
    Second(WaitEnd),
    Dropped(bool),
    Hasty(WaitEnd),
    Nobody,
}

/// Repeats the call until the store does not refuse it, as a caller would: the id makes it one job
/// however often it is sent.
async fn ask(queue: &CallQueue, number: u64, deadline: Duration) -> WaitEnd {
    let begun = Instant::now();
    let mut again = 0;
    loop {
        let answer = queue.enqueue_and_wait(number.to_string(), number, deadline).await;
        let was_refused = matches!(&answer, Err(WaitError::Store(error)) if error.is_transient());
        if !was_refused || again == TRIES_MAX {
            return WaitEnd { answer, took: begun.elapsed(), again };
        }
        again += 1;
    }
}
