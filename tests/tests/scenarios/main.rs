//! The scenarios of `clients/spec`, which every client passes, run by the client and the worker of
//! this library over a remote store: the same file, the same server, a proxy between.
//!
//! Bare calls of a scenario go to `/v1` as they are written. What the client and its worker do goes
//! through `/store/v1`, so a fault on a path of the protocol is one on the verb that does the same.
//! Bodies on that way are binary: of a step `requests` the number of requests is checked, and not
//! what they say. `applies.rs` lists the scenarios that do not hold for this client, and why.

mod applies;
mod jobs;
mod pattern;
mod proxy;
mod schedules;
mod served;
mod steps;
mod work;

use serde_json::Value;
use served::Served;
use std::sync::Arc;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{Duration, timeout},
};

/// Scenarios at the same time.
const AT_ONCE: usize = 4;
/// A scenario that stands still has failed.
const LIMIT: Duration = Duration::from_mins(4);

fn scenarios() -> Vec<Value> {
    let file: Value =
        serde_json::from_str(include_str!("../../../clients/spec/scenarios.json")).expect("JSON");
    let all = file["scenarios"].as_array().expect("a list").iter();
    all.flat_map(|scenario| match scenario["for_each"].as_str() {
        None => vec![scenario.clone()],
        Some(list) => file[list].as_array().expect("a list").iter().map(|it| with(scenario, it)).collect(),
    })
    .collect()
}

/// A scenario for one item of a list.
fn with(scenario: &Value, it: &Value) -> Value {
    let mut scenario = scenario.clone();
    let name = |of: &Value, field: &str| of[field].as_str().expect("a name").to_owned();
    scenario["name"] = format!("{}: {}", name(&scenario, "name"), name(it, "what")).into();
    scenario["it"] = it.clone();
    scenario
}

#[test]
fn what_does_not_apply_is_in_the_file() {
    let names: Vec<String> =
        scenarios().iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect();
    for (name, why) in applies::NOT_HERE {
        assert!(
            names.iter().any(|one| applies::is_about(one, name)),
            "there is no scenario {name:?}, which {why}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_library_over_a_remote_store_does_what_every_client_does() {
    let shared = Arc::new(Served::start().await);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    let mut left_out = 0;
    for (number, scenario) in scenarios().into_iter().enumerate() {
        let name = scenario["name"].as_str().expect("a name").to_owned();
        if let Some(why) = applies::not_here(&name) {
            left_out += 1;
            eprintln!("not here: {name}: it {why}");
            continue;
        }
        let (shared, places) = (shared.clone(), places.clone());
        running.spawn(async move {
            let _place = places.acquire_owned().await.expect("it is open");
            let server =
                if scenario["own_server"] == true { Arc::new(Served::start().await) } else { shared };
            let ran = timeout(LIMIT, steps::run(&scenario, server, number)).await;
            (name, ran.unwrap_or_else(|_elapsed| Err("it stands still".to_owned())))
        });
    }
    let (mut passed, mut failed) = (0, Vec::new());
    while let Some(ended) = running.join_next().await {
        match ended.expect("a scenario does not panic") {
            (_, Ok(())) => passed += 1,
            (name, Err(why)) => failed.push(format!("{name}: {why}")),
        }
    }
    eprintln!("{passed} scenarios passed, {} failed, {left_out} do not apply", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed >= 60, "{passed} scenarios");
}
