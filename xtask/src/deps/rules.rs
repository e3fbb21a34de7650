//! Compares what the manifests ask for with the table.

use super::table::{Allowed, Row, TABLE};
use crate::metadata::{Dependency, Package};

/// One line per dependency that the table does not allow, in the order of the packages.
pub(super) fn violations(packages: &[Package]) -> Vec<String> {
    packages.iter().flat_map(|package| of_package(package, packages)).collect()
}

fn of_package(package: &Package, packages: &[Package]) -> Vec<String> {
    let Some(row) = row_of(&package.name) else {
        return vec![format!("{}: unknown crate: add a row for it to xtask/src/deps/table.rs", package.name)];
    };
    let is_member = |dependency: &Dependency| packages.iter().any(|other| other.name == dependency.name);
    package
        .dependencies
        .iter()
        .filter_map(
            |dependency| if is_member(dependency) { inner(row, dependency) } else { outer(row, dependency) },
        )
        .collect()
}

/// A dependency on another crate of the workspace.
fn inner(row: &Row, dependency: &Dependency) -> Option<String> {
    let (from, to) = (row.name, dependency.name.as_str());
    if is_top(to) {
        return Some(format!("{from}: nothing may depend on {to}"));
    }
    let Allowed::Only(allowed) = row.allowed else { return None };
    if allowed.contains(&to) {
        return None;
    }
    match (dependency.is_shipped(), row.tests.contains(&to)) {
        (true, true) => Some(format!("{from}: may use {to} in its tests only")),
        (true, false) => Some(format!("{from}: must not depend on {to} (allowed: {})", list(allowed))),
        (false, true) => None,
        (false, false) => {
            Some(format!("{from}: its tests must not depend on {to} (extra for tests: {})", list(row.tests)))
        }
    }
}

/// A dependency on a crate of other authors. Tests may use what they like.
fn outer(row: &Row, dependency: &Dependency) -> Option<String> {
    if !dependency.is_shipped() {
        return None;
    }
    let is_banned = row.banned.iter().any(|group| group.contains(&dependency.name.as_str()));
    is_banned.then(|| format!("{}: must not depend on {}", row.name, dependency.name))
}

fn row_of(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

fn is_top(name: &str) -> bool {
    row_of(name).is_some_and(|row| matches!(row.allowed, Allowed::Anything))
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
