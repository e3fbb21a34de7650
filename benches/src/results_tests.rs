//! Tests of merging, saving and reading results.

use super::Results;
use crate::{
    engine::Engine,
    figures::Figures,
    machine::Machine,
    measurement::Measurement,
    run::BenchRun,
    scenario::{Scenario, Setting},
    store::StoreKind,
};

fn run(id: &str) -> BenchRun {
    let text = str::to_owned;
    BenchRun {
        id: text(id),
        store: StoreKind::Redis,
        date: text("today"),
        commit: text("abc"),
        machine: Machine { cpu: text("some"), cores: 2, memory_gib: 24, kernel: text("Linux") },
        rustc: text("rustc 1"),
        engine: Engine { version: text("Redis 7"), durability: text("none") },
        worker: text("defaults"),
        rounds: 1,
        divide: 1,
    }
}

fn row(run: &str, scenario: Scenario, setting: Setting) -> Measurement {
    let figures = Figures::Rate { jobs: 10, seconds: 2.0, per_second: 5.0 };
    Measurement {
        run: run.to_owned(),
        store: StoreKind::Redis,
        scenario,
        setting,
        part: None,
        round: 0,
        figures,
    }
}

fn of(results: &Results) -> Vec<(&str, Scenario)> {
    results.rows.iter().map(|row| (row.run.as_str(), row.scenario)).collect()
}

#[test]
fn a_scenario_alone_replaces_only_its_rows() {
    let mut results = Results::default();
    let floor = |run| row(run, Scenario::FloorCycle, Setting::Batch(100));
    let drain = |run, setting| row(run, Scenario::Drain, setting);
    results.merge(&run("a"), &[floor("a")]);
    results.merge(&run("a"), &[drain("a", Setting::Default), drain("a", Setting::Prefetch(9))]);
    results.merge(&run("a"), &[row("a", Scenario::Call, Setting::Default)]);
    results.merge(&run("b"), &[floor("b")]);
    results.merge(&run("b"), &[drain("b", Setting::Default)]);
    let floor = Scenario::FloorCycle;
    let drain = Scenario::Drain;
    let call = Scenario::Call;
    assert_eq!(of(&results), [("a", floor), ("a", call), ("b", floor), ("b", drain)]);
    assert_eq!(results.runs.len(), 2);
}

#[test]
fn a_run_that_nothing_is_left_of_goes_with_its_floors() {
    let mut results = Results::default();
    let both = |run: &str| {
        [row(run, Scenario::FloorCycle, Setting::Batch(100)), row(run, Scenario::Drain, Setting::Default)]
    };
    results.merge(&run("a"), &both("a"));
    results.merge(&run("b"), &both("b"));
    assert_eq!(of(&results), [("b", Scenario::FloorCycle), ("b", Scenario::Drain)]);
    assert_eq!(results.runs, [run("b")]);
}

#[test]
fn what_was_saved_is_loaded_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut results = Results::default();
    let mut latency = row("a", Scenario::Depth, Setting::Backlog(1000));
    latency.part = Some("claim".to_owned());
    latency.figures = crate::figures::Latencies::new().figures(std::time::Duration::from_secs(1));
    let mut memory = row("a", Scenario::Soak, Setting::Default);
    memory.figures = Figures::Memory { jobs: 1, seconds: 2.0, resident_bytes: vec![3, 4] };
    let mut bytes = row("a", Scenario::Footprint, Setting::Pending);
    bytes.figures = Figures::Bytes { jobs: 1, bytes_per_job: 2.5 };
    results.merge(&run("a"), &[latency, memory, bytes, row("a", Scenario::Drain, Setting::Default)]);
    results.save_store(folder.path(), StoreKind::Redis).expect("it can be saved");
    assert_eq!(Results::load(folder.path()).expect("it can be loaded"), results);
}

#[test]
fn a_bad_line_is_an_error_that_names_it() {
    let error = Results::parse("\n").expect_err("an empty line is neither a run nor a row");
    assert!(format!("{error:#}").contains("line 1"), "{error:#}");
}
