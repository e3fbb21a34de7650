//! Which Rust a crate says that it needs, and which its dependencies in the lock file do.
//!
//! A crate must not promise less than what it brings. A crate of ours that it brings only with a
//! feature that is not a default one may need a later Rust, and says so itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::metadata::{Metadata, Node, Package};

/// One line for each crate of ours and each dependency that needs a later Rust than the crate
/// promises.
pub(super) fn violations(locked: &Metadata) -> Vec<String> {
    let packages: BTreeMap<&str, &Package> = locked.packages.iter().map(|it| (it.id.as_str(), it)).collect();
    let mut found = Vec::new();
    for member in locked.workspace_members.iter().filter_map(|id| packages.get(id.as_str())) {
        let Some(promised) = member.rust_version.as_deref() else {
            found.push(format!("{} has no rust-version", member.name));
            continue;
        };
        for below in brought(locked, &packages, &member.id) {
            let Some(needed) = below.rust_version.as_deref() else { continue };
            if parts(needed) > parts(promised) {
                let Package { name, version, .. } = below;
                found.push(format!(
                    "{} promises Rust {promised}, but {name} {version} needs {needed}",
                    member.name
                ));
            }
        }
    }
    found
}

/// Everything below a crate but itself, without what only its tests see, and our crates that only a
/// feature brings. Other crates that ask for a feature of ours bring what that does.
fn brought<'a>(
    locked: &'a Metadata,
    packages: &BTreeMap<&str, &'a Package>,
    from: &'a str,
) -> Vec<&'a Package> {
    let nodes: BTreeMap<&str, &Node> =
        locked.resolve.iter().flat_map(|it| &it.nodes).map(|it| (it.id.as_str(), it)).collect();
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(id) = open.pop() {
        let (Some(package), Some(node)) = (packages.get(id), nodes.get(id)) else { continue };
        let left_out = if id == from { optional(package) } else { BTreeSet::new() };
        for edge in node.deps.iter().filter(|edge| edge.is_shipped()) {
            let Some(below) = packages.get(edge.pkg.as_str()) else { continue };
            let is_ours = locked.workspace_members.contains(&below.id);
            if !(is_ours && left_out.contains(below.name.as_str())) && seen.insert(&below.id) {
                open.push(&below.id);
            }
        }
    }
    seen.into_iter().filter(|id| *id != from).filter_map(|id| packages.get(id).copied()).collect()
}

/// The dependencies that neither the manifest nor the default features ask for.
fn optional(package: &Package) -> BTreeSet<&str> {
    let (mut on, mut open) = (BTreeSet::new(), vec!["default"]);
    while let Some(feature) = open.pop() {
        if on.insert(feature) {
            open.extend(package.features.get(feature).into_iter().flatten().map(String::as_str));
        }
    }
    let is_on = |name: &str| {
        on.iter().any(|it| it.strip_prefix("dep:").unwrap_or(it).split('/').next() == Some(name))
    };
    let asked = package.dependencies.iter();
    let off = asked.filter(|it| it.optional && !is_on(it.rename.as_deref().unwrap_or(&it.name)));
    off.map(|it| it.name.as_str()).collect()
}

fn parts(version: &str) -> Vec<u32> {
    let mut parts: Vec<u32> = version.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect();
    parts.resize(3, 0);
    parts
}

#[cfg(test)]
mod tests {
    use super::violations;
    use serde_json::json;

    /// `ours` asks for `near`, which brings `far`.
    fn found(ours: &str, far: &str, asked: &serde_json::Value, kind: Option<&str>) -> Vec<String> {
        let mut members = vec!["1"];
        members.extend(asked["is_ours"].as_bool().unwrap_or(false).then_some("2"));
        let locked = json!({
            "packages": [
                {"id": "1", "name": "ours", "version": "0.1.0", "rust_version": ours,
                 "dependencies": [{"name": "near", "optional": asked["optional"]}], "features": asked["features"]},
                {"id": "2", "name": "near", "version": "1.0.0", "rust_version": asked["is_ours"].as_bool().map(|_| far), "dependencies": [], "features": {}},
                {"id": "3", "name": "far", "version": "2.0.0", "rust_version": far, "dependencies": [], "features": {}}],
            "workspace_members": members,
            "resolve": {"nodes": [
                {"id": "1", "deps": [{"pkg": "2", "dep_kinds": [{"kind": kind}]}]},
                {"id": "2", "deps": [{"pkg": "3", "dep_kinds": [{"kind": null}]}]},
                {"id": "3", "deps": []}]},
        });
        violations(&serde_json::from_value(locked).expect("this is the shape of cargo metadata"))
    }

    #[test]
    fn a_crate_promises_no_less_than_what_it_always_brings() {
        let always = json!({"optional": false, "features": {}});
        assert_eq!(found("1.88", "1.88.0", &always, None), Vec::<String>::new());
        assert_eq!(
            found("1.88", "1.89", &always, None),
            ["ours promises Rust 1.88, but far 2.0.0 needs 1.89"]
        );
        assert_eq!(found("1.9", "1.88", &always, Some("build")).len(), 1, "numbers, not text");
        assert_eq!(found("1.88", "1.89", &always, Some("dev")), Vec::<String>::new());
    }

    #[test]
    fn a_crate_of_ours_behind_a_feature_speaks_for_itself_unless_that_is_a_default_one() {
        let off =
            json!({"optional": true, "is_ours": true, "features": {"default": [], "extra": ["dep:near"]}});
        assert_eq!(found("1.88", "1.89", &off, None), Vec::<String>::new());
        let on = json!({"optional": true, "is_ours": true, "features": {"default": ["extra"], "extra": ["dep:near"]}});
        assert_eq!(found("1.88", "1.89", &on, None).len(), 2, "near and far");
        let theirs = json!({"optional": true, "features": {"default": [], "extra": ["dep:near"]}});
        assert_eq!(found("1.88", "1.89", &theirs, None).len(), 1, "who but us says what it needs?");
    }
}
