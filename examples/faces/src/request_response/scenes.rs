//! The steps of the demonstration.

use super::sums::{Adder, Sum, Sums};
use crate::{BoxError, Result, Stage};
use futures_util::future::join_all;
use queue::{Queue, Settled, State, WaitError, worker::runtime::Group};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long responses are kept.
const HOUR: Duration = Duration::from_hours(1);
/// The deadline of calls that are answered.
const PATIENT: Duration = Duration::from_secs(30);
/// The deadline of a call that gets no answer.
const HASTY: Duration = Duration::from_millis(50);
/// The lease of a consumer that dies, whose claim has two thirds of it to be answered; and how
/// often recoverers look.
const SHORT: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(10);
const RECOVERERS: usize = 3;

fn of(numbers: &[u32]) -> Sum {
    Sum::Of(numbers.to_vec())
}

/// A producer alone can ask, look and take back.
pub(super) async fn nobody_answers(stage: &Stage, sums: &Sums) -> Result {
    let is_new = sums.submit("sum-1", of(&[1, 2, 3]), HOUR).await?.is_new();
    let answer = sums.response("sum-1", HASTY).await;
    stage.say(format!("sum-1 submitted: {is_new}; without a consumer: {}", words(&answer)));
    let is_new = sums.submit("sum-2", of(&[4, 5]), HOUR).await?.is_new();
    stage.say(format!("sum-2 submitted: {is_new}, cancelled: {:?}", sums.cancel("sum-2").await?));
    stage.say(format!("sum-2: {}", words(&sums.response("sum-2", PATIENT).await)));
    Ok(())
}

/// Many callers of one id share one run.
pub(super) async fn together(stage: &Stage, sums: &Sums, adder: &Adder) -> Result {
    let calls = (0..5).map(|_| sums.request("sum-1", of(&[1, 2, 3]), HOUR, PATIENT));
    let answers: Vec<String> = join_all(calls).await.iter().map(words).collect();
    stage.say(format!("five calls of sum-1: {}; it ran {} times", answers.join(", "), adder.runs()));
    Ok(())
}

/// A response is found as long as it is kept, which each request says and may be changed.
pub(super) async fn cached(stage: &Stage, sums: &Sums, adder: &Adder) -> Result {
    let answer = sums.request("sum-1", of(&[1, 2, 3]), HOUR, PATIENT).await;
    stage.say(format!("sum-1 again: {}; it ran {} times", words(&answer), adder.runs()));
    let is_kept = kept_at_most(sums, HOUR).await?;
    let changed = sums.keep("sum-1", Duration::from_mins(5)).await?;
    let is_shorter = kept_at_most(sums, Duration::from_mins(5)).await?;
    stage.say(format!("kept for an hour: {is_kept}; then for five minutes: {changed:?}, {is_shorter}"));
    Ok(())
}

async fn kept_at_most(sums: &Sums, ttl: Duration) -> Result<bool> {
    let status = sums.status("sum-1").await?.ok_or("it is gone")?;
    Ok(status.kept_for().is_some_and(|left| left <= ttl))
}

/// A request that is being answered is asked to stop, and its caller learns of it.
pub(super) async fn cancelled(stage: &Stage, sums: &Sums, adder: &Adder) -> Result {
    let (answer, taken_back) = tokio::join!(sums.request("sum-3", Sum::Forever, HOUR, PATIENT), async {
        adder.begun.acquire().await?.forget();
        Ok::<_, BoxError>(sums.cancel("sum-3").await?)
    });
    stage.say(format!("sum-3 is cancelled while it runs: {:?}; its caller: {}", taken_back?, words(&answer)));
    Ok(())
}

/// A request that is being answered when the consumer should stop is still answered; later ones
/// wait for the next consumer.
pub(super) async fn shut_down(stage: &Stage, sums: &Sums, adder: &Adder, stop: &CancellationToken) -> Result {
    let slow = Sum::Slowly(vec![7, 8]);
    let (answer, stopped) = tokio::join!(sums.request("sum-4", slow, HOUR, PATIENT), async {
        adder.begun.acquire().await?.forget();
        stop.cancel();
        let is_new = sums.submit("sum-5", of(&[9, 10]), HOUR).await?.is_new();
        stage.say(format!("the consumer is told to stop; sum-5 submitted: {is_new}"));
        adder.allowed.add_permits(1);
        Ok::<_, BoxError>(())
    });
    stopped?;
    stage.say(format!("sum-4, which ran: {}", words(&answer)));
    Ok(())
}

/// A consumer takes a request and dies; several recoverers notice, and one of them gives it back.
pub(super) async fn recovered(stage: &Stage, sums: &Sums, adder: &Adder) -> Result {
    let queue = sums.queue();
    let dying: Queue<Sum, u32> =
        Queue::builder(queue.storage().clone(), queue.name()).codec(queue::MsgPack).lease(SHORT).build()?;
    let lost = dying.dequeue(PATIENT).await?.ok_or("no request is due")?;
    stage.say(format!("a consumer takes {} and dies", lost.id()));

    let stop = CancellationToken::new();
    let mut group = Group::new();
    for number in 1..=RECOVERERS {
        group = group.add(format!("recoverer {number}"), sums.recoverer(LOOK)?);
    }
    let (ended, stalls) = tokio::join!(group.run(stop.clone()), async {
        let stalls = until_given_back(sums).await;
        stop.cancel();
        stalls
    });
    ended?;
    stage.say(format!("{RECOVERERS} recoverers gave it back; stalls charged: {}", stalls?));
    let is_lost = lost.ack(&0).await? == Settled::LeaseLost;
    stage.say(format!("the dead consumer's answer is refused: {is_lost}"));
    answer_with_both(stage, sums, adder).await
}

async fn until_given_back(sums: &Sums) -> Result<u32> {
    loop {
        let status = sums.status("sum-5").await?.ok_or("it is gone")?;
        if status.state() != State::Processing {
            return Ok(status.meta.stalls);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// One process that asks and answers.
async fn answer_with_both(stage: &Stage, sums: &Sums, adder: &Adder) -> Result {
    let consumer = adder.consumer(stage)?;
    let stop = consumer.stop_token();
    let (_report, answer) = tokio::join!(consumer.run(), async {
        let answer = sums.response("sum-5", PATIENT).await;
        stop.cancel();
        answer
    });
    let attempts = sums.status("sum-5").await?.ok_or("it is gone")?.attempts();
    stage.say(format!("sum-5 with a new consumer: {}, on attempt {attempts}", words(&answer)));
    Ok(())
}

fn words(answer: &Result<u32, WaitError>) -> String {
    match answer {
        Ok(sum) => sum.to_string(),
        Err(WaitError::TimedOut { .. }) => "no answer by the deadline".to_owned(),
        Err(error) => error.to_string(),
    }
}
