//! Tests of the rules about dependencies between crates.

use super::super::table::{Allowed, TABLE};
use super::violations;
use crate::metadata::{Dependency, Package};

#[test]
fn everything_the_table_allows_passes() {
    let mut packages = members();
    for (package, row) in packages.iter_mut().zip(TABLE) {
        let Allowed::Only(allowed) = row.allowed else { continue };
        package.dependencies.extend(allowed.iter().map(|name| member(name, None)));
        package.dependencies.extend(row.tests.iter().map(|name| member(name, Some("dev"))));
    }
    assert_eq!(violations(&packages), Vec::<String>::new());
}

#[test]
fn every_direction_outside_the_table_fails() {
    for row in TABLE {
        let Allowed::Only(allowed) = row.allowed else { continue };
        for to in TABLE.iter().map(|other| other.name).filter(|to| *to != row.name && !allowed.contains(to)) {
            for kind in [None, Some("build")] {
                assert_eq!(between(row.name, to, kind).len(), 1, "{} -> {to}", row.name);
            }
            let expected = usize::from(!row.tests.contains(&to));
            assert_eq!(between(row.name, to, Some("dev")).len(), expected, "tests of {} -> {to}", row.name);
        }
    }
}

/// The table could be wrong itself, so the directions that matter most are spelled out once more.
#[test]
fn the_layers_that_must_never_meet_fail() {
    for (from, to) in [
        ("queue-core", "queue-serde"),
        ("queue-core", "queue-memory"),
        ("queue-core", "queue-schedule"),
        ("queue-serde", "queue-worker"),
        ("queue-schedule", "queue-worker"),
        ("queue-memory", "queue-schedule"),
        ("queue-view", "queue-worker"),
        ("queue-memory", "queue-view"),
        ("queue-memory", "queue-fs"),
        ("queue-memory", "queue-testkit"),
        ("queue-sqlite", "queue-memory"),
        ("queue-postgres", "queue-serde"),
        ("queue-redis", "queue-worker"),
        ("queue-testkit", "queue-memory"),
        ("queue-worker", "queue-memory"),
        ("queue-worker", "queue-jobs"),
        ("queue-jobs", "queue-cli"),
        ("queue-cli", "queue-core"),
        ("kv-store-example", "queue-memory"),
        ("kv-store-example", "queue-testkit"),
        ("queue-testkit", "kv-store-example"),
    ] {
        let found = between(from, to, None);
        assert!(
            found.len() == 1 && found[0].starts_with(from) && found[0].contains(to),
            "{from} -> {to}: {found:?}"
        );
    }
}

#[test]
fn top_level_packages_use_anything_but_each_other() {
    assert_eq!(between("queue-e2e", "queue-worker", None), Vec::<String>::new());
    assert_eq!(between("queue-benches", "queue-redis", None), Vec::<String>::new());
    assert_eq!(
        between("queue-benches", "queue-e2e", None),
        ["queue-benches: nothing may depend on queue-e2e"]
    );
    assert_eq!(between("queue-cli", "xtask", Some("dev")), ["queue-cli: nothing may depend on xtask"]);
}

#[test]
fn an_unknown_crate_is_told_where_to_register() {
    let found = violations(&[package("queue-kafka", vec![])]);
    assert!(
        found.len() == 1 && found[0].contains("queue-kafka") && found[0].contains("table.rs"),
        "{found:?}"
    );
}

#[test]
fn core_ships_no_format_but_json_and_no_runtime_or_driver() {
    assert_eq!(core_with(member("serde_json", None)), Vec::<String>::new());
    for name in ["rmp-serde", "rusqlite", "sqlx", "redis", "async-std", "tokio"] {
        assert_eq!(core_with(member(name, None)), [format!("queue-core: must not depend on {name}")]);
        assert_eq!(core_with(member(name, Some("dev"))), Vec::<String>::new());
    }
}

#[test]
fn the_worker_names_no_driver() {
    let packages = [package("queue-worker", vec![member("redis", None)])];
    assert_eq!(violations(&packages), ["queue-worker: must not depend on redis"]);
}

fn between(from: &str, to: &str, kind: Option<&str>) -> Vec<String> {
    violations(&[package(from, vec![member(to, kind)]), package(to, vec![])])
}

fn core_with(dependency: Dependency) -> Vec<String> {
    violations(&[package("queue-core", vec![dependency])])
}

fn members() -> Vec<Package> {
    TABLE.iter().map(|row| package(row.name, vec![])).collect()
}

fn package(name: &str, dependencies: Vec<Dependency>) -> Package {
    let mut package = Package::default();
    (package.name, package.dependencies) = (name.to_owned(), dependencies);
    package
}

fn member(name: &str, kind: Option<&str>) -> Dependency {
    Dependency::of(name, kind)
}
