//! Which word is a store, and what it needs.

use crate::services::Durability;

/// A store as the program in `benches/` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Store {
    pub(super) name: &'static str,
    pub(super) server: Option<(&'static str, Durability)>,
}

pub(super) const STORES: &[Store] = &[
    Store { name: "memory", server: None },
    Store { name: "file", server: None },
    Store { name: "sqlite-full", server: None },
    Store { name: "sqlite-normal", server: None },
    Store { name: "postgres", server: Some(("postgres", Durability::Disk)) },
    Store { name: "redis", server: Some(("redis", Durability::None)) },
    Store { name: "redis-always", server: Some(("redis", Durability::Disk)) },
];

/// What was named on the command line. A word that is no store is a scenario; the program refuses
/// one that it does not know.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) scenarios: Vec<String>,
    stores: Vec<Store>,
    pub(super) is_page_alone: bool,
}

impl Words {
    pub(super) fn parse(words: &[String]) -> Self {
        let store = |word: &str| STORES.iter().copied().find(|store| store.name == word);
        Self {
            scenarios: words.iter().filter(|word| store(word).is_none()).cloned().collect(),
            stores: words.iter().filter_map(|word| store(word)).collect(),
            is_page_alone: matches!(words, [word] if word == "page"),
        }
    }

    pub(super) fn stores(&self) -> Vec<Store> {
        if self.stores.is_empty() { STORES.to_vec() } else { self.stores.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::{STORES, Words};

    fn parsed(words: &[&str]) -> Words {
        Words::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn stores_and_scenarios_are_told_apart() {
        let words = parsed(&["drain", "redis", "call"]);
        assert_eq!(words.scenarios, ["drain", "call"]);
        assert_eq!(words.stores().iter().map(|store| store.name).collect::<Vec<_>>(), ["redis"]);
        assert_eq!(parsed(&[]).stores(), STORES);
    }

    #[test]
    fn the_page_alone_is_asked_for_by_name() {
        assert!(parsed(&["page"]).is_page_alone);
        assert!(!parsed(&[]).is_page_alone && !parsed(&["drain"]).is_page_alone);
    }
}
