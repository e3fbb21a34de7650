//! Two handles on the same data, as two processes have them: the order that a handle gives to its
//! own calls does not bind the other.

use super::{ROUNDS, race};
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{Applied, Prune, State};

const TASKS: usize = 8;
const JOBS: usize = 20;

cases! { "concurrency":
    tasks_on_two_handles_never_share_a_job [I3 I20 I23] (SecondHandle);
    of_many_enqueues_of_one_id_on_two_handles_one_is_queued [I9] (SecondHandle);
}

/// Both handles, for tasks to take turns with.
async fn handles(bench: &Bench) -> [Bench; 2] {
    [bench.clone(), bench.second().await]
}

/// Claims one by one and settles at once, until no job is left.
async fn work(bench: Bench, name: String) -> Vec<String> {
    let mut ran = Vec::new();
    loop {
        let claimed = bench.send(bench.request_of(&name, 1, LEASE)).await.jobs;
        let Some(held) = claimed.first() else { return ran };
        let settled = bench.apply_all(vec![decided(&held.record.meta, complete(held.token))]).await;
        assert!(settled.iter().all(Applied::is_done), "{settled:?}");
        ran.extend(ids_of(&claimed));
    }
}

async fn tasks_on_two_handles_never_share_a_job(bench: &Bench) {
    let handles = handles(bench).await;
    for _ in 0..ROUNDS / 4 {
        bench.put_many(JOBS).await;
        let ran = race(bench, TASKS, |_, n| work(handles[n % 2].clone(), format!("worker-{n}"))).await;
        let mut ran: Vec<String> = ran.into_iter().flatten().collect();
        // A store with several writers may skip jobs that another claim has locked.
        ran.extend(work(bench.clone(), "last".to_owned()).await);
        ran.sort();
        assert_eq!(ran, (0..JOBS).map(|n| nth(n).to_string()).collect::<Vec<_>>());
        assert_eq!(bench.counts().await.of(State::Completed), JOBS as u64);
        bench.prune(Prune::Everything, JOBS).await;
    }
}

/// Neither handle trusts its own cache over the data.
async fn of_many_enqueues_of_one_id_on_two_handles_one_is_queued(bench: &Bench) {
    let handles = handles(bench).await;
    for round in 0..ROUNDS / 4 {
        let put = |bench: Bench| async move { bench.enqueue(job(nth(round).as_str())).await };
        let answers = race(bench, TASKS, |_, n| put(handles[n % 2].clone())).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_new()).count(), 1, "{answers:?}");
        assert!(answers.iter().all(|answer| answer.seq() == answers[0].seq()), "{answers:?}");
    }
}
