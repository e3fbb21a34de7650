//! Which sets of features are tried.

use std::fmt;

use super::Depth;
use crate::published::Published;

/// Features that stand for others.
const NAMES_OF_SETS: [&str; 2] = ["default", "full"];

/// Features that are switched on together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Set(Vec<String>);

/// None for a crate without features: the other checks compile it.
pub(super) fn sets(package: &Published, depth: Depth) -> Vec<Set> {
    let is_own = |name: &&String| !NAMES_OF_SETS.contains(&name.as_str());
    let features: Vec<&String> = package.features.keys().filter(is_own).collect();
    if features.is_empty() {
        return Vec::new();
    }
    let mut sets = vec![Set::of(&[])];
    sets.extend(features.iter().map(|feature| Set::of(&[feature])));
    if depth == Depth::Two {
        sets.extend(pairs(&features));
    }
    let all = Set::of(&features);
    if !sets.contains(&all) {
        sets.push(all);
    }
    sets
}

fn pairs(features: &[&String]) -> Vec<Set> {
    let from = |at: usize| features[at + 1..].iter().map(move |second| Set::of(&[features[at], second]));
    (0..features.len()).flat_map(from).collect()
}

impl Set {
    fn of(features: &[&String]) -> Self {
        Self(features.iter().map(|feature| (*feature).clone()).collect())
    }

    /// As cargo takes it.
    pub(super) fn argument(&self) -> String {
        self.0.join(",")
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("no feature") } else { f.write_str(&self.0.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Depth;
    use super::sets;
    use crate::published::Published;

    fn package(features: &[&str]) -> Published {
        let features = features.iter().map(|name| ((*name).to_owned(), Vec::new()));
        let features: serde_json::Map<String, serde_json::Value> =
            features.map(|(name, on): (String, Vec<String>)| (name, on.into())).collect();
        let json =
            serde_json::json!({"name": "a", "version": "1.0.0", "features": features, "publish": null});
        serde_json::from_value(json).expect("the shape of a package")
    }

    fn shown(features: &[&str], depth: Depth) -> Vec<String> {
        sets(&package(features), depth).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_alone_and_each_pair_once_and_all() {
        let expected = ["no feature", "a", "b", "c", "a, b", "a, c", "b, c", "a, b, c"];
        assert_eq!(shown(&["a", "b", "c", "default", "full"], Depth::Two), expected);
        assert_eq!(shown(&["a", "b", "c"], Depth::One), ["no feature", "a", "b", "c", "a, b, c"]);
    }

    #[test]
    fn no_set_stands_twice() {
        assert_eq!(shown(&["a", "b"], Depth::Two), ["no feature", "a", "b", "a, b"]);
        assert_eq!(shown(&["a"], Depth::Two), ["no feature", "a"]);
        assert!(shown(&["default"], Depth::Two).is_empty());
    }
}
