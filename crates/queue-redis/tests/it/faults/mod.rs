//! Recorded workloads in real time on a private server with faults, judged by the checker of the
//! test kit: no acknowledged job is lost, and no caller without a lease changes anything (I1 to
//! I24, as far as a history shows them).
//!
//! Each fault lasts two seconds; `QUEUE_TEST_FAULT_ROUNDS=300` repeats it 300 times, with a fresh
//! history each time. The server is private because it is stopped and killed; it is started from
//! the program `redis-server`, or the one that `QUEUE_TEST_REDIS_PROGRAM` names.

mod failover;
mod frozen;
mod load;
mod migration;
mod processes;
mod verdict;

use crate::server::{Fsync, Server};
use load::Load;
use queue_core::Storage;
use queue_redis::{RedisOptions, RedisStorage};
use std::{env, time::Duration};
use tokio::time::{Instant, sleep};
use verdict::Verdict;

/// The time between two strikes of a repeated fault.
const STRIKE_EVERY: Duration = Duration::from_millis(100);

/// How long a fault goes on.
const LASTS: Duration = Duration::from_secs(2);

fn rounds() -> usize {
    env::var("QUEUE_TEST_FAULT_ROUNDS").map_or(1, |text| text.parse().expect("a whole number of rounds"))
}

/// Strikes until the time is up.
async fn again_and_again(mut strike: impl AsyncFnMut()) {
    let end = Instant::now() + LASTS;
    while Instant::now() < end {
        strike().await;
        sleep(STRIKE_EVERY).await;
    }
}

/// Runs a load during a fault, heals it, and drains.
async fn under(server: &mut Server, fault: impl AsyncFnOnce(&mut Server)) -> Verdict {
    let options = RedisOptions::new(&server.url()).expect("valid").response_timeout(Duration::from_secs(1));
    let load = Load::start(options).await;
    fault(server).await;
    load.finish().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_is_well_breaks_no_invariant() {
    for _ in 0..rounds() {
        let mut server = Server::start(Fsync::Never).await;
        under(&mut server, async |_| sleep(LASTS).await).await.assert_clean();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn connections_that_are_killed_all_the_time_break_no_invariant() {
    for _ in 0..rounds() {
        let mut server = Server::start(Fsync::Never).await;
        under(&mut server, async |server| {
            again_and_again(async || server.kill_connections().await).await;
        })
        .await
        .assert_clean_though_calls_failed();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_kind_that_is_paused_and_resumed_on_bad_connections_breaks_no_invariant() {
    for _ in 0..rounds() {
        let server = Server::start(Fsync::Never).await;
        let options =
            RedisOptions::new(&server.url()).expect("valid").response_timeout(Duration::from_secs(1));
        let load = Load::start(options).await.pausing();
        again_and_again(async || server.kill_connections().await).await;
        load.finish().await.assert_clean_beside_pauses();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn scripts_that_are_forgotten_all_the_time_break_no_invariant() {
    for _ in 0..rounds() {
        let mut server = Server::start(Fsync::Never).await;
        under(&mut server, async |server| {
            again_and_again(async || server.run(redis::cmd("SCRIPT").arg("FLUSH")).await).await;
        })
        .await
        .assert_clean();
        assert!(server.texts_sent().await > 2, "no script was forgotten");
    }
}

/// The stop is longer than a call waits and longer than a lease.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_stands_still_for_three_seconds_breaks_no_invariant() {
    for _ in 0..rounds() {
        let mut server = Server::start(Fsync::Never).await;
        under(&mut server, async |server| {
            server.signal("STOP");
            sleep(Duration::from_secs(3)).await;
            server.signal("CONT");
            sleep(LASTS / 2).await;
        })
        .await
        .assert_clean_though_calls_failed();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_is_killed_loses_nothing_that_it_acknowledged() {
    for _ in 0..rounds() {
        let mut server = Server::start(Fsync::Always).await;
        under(&mut server, killed_and_restarted).await.assert_clean_though_calls_failed();
    }
}

/// The process may die with writes that it had answered and not yet given to the system; the
/// violations that follow are printed. It is as if those writes had never been, so claims, numbers
/// and outcomes among them may recur. The rest must be sound, and must continue to work.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_flushes_now_and_then_goes_on_from_a_sound_state() {
    for _ in 0..rounds() {
        let mut server = Server::start(Fsync::EverySecond).await;
        let verdict = under(&mut server, killed_and_restarted).await;
        verdict.tell_losses();
        assert!(verdict.completed > 0, "nothing was done at all");
        let options = RedisOptions::new(&server.url()).expect("valid");
        let store = RedisStorage::open(options).await.expect("it opens");
        assert_eq!(store.verify().await.expect("it can be read"), Vec::<String>::new());
        store.close().await.expect("it closes");
    }
}

async fn killed_and_restarted(server: &mut Server) {
    let end = Instant::now() + LASTS;
    while Instant::now() < end {
        sleep(Duration::from_millis(600)).await;
        server.kill_and_restart().await;
    }
}
