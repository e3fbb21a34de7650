//! What was named on the command line.

use anyhow::{Result, bail};

use crate::catalog::{OURS, Peer, Store, entrants};
use crate::row::{ROWS, Row};

const PAGE: &str = "page";
const QUICK: &str = "--quick";

/// Words of one kind narrow what is measured; a kind that is not named is measured whole.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    peers: Vec<&'static str>,
    stores: Vec<Store>,
    workloads: Vec<&'static str>,
    pub(crate) is_quick: bool,
    pub(crate) is_page_alone: bool,
}

impl Words {
    pub(crate) fn parse(words: &[String]) -> Result<Self> {
        let mut parsed = Self { is_page_alone: matches!(words, [word] if word == PAGE), ..Self::default() };
        for word in words.iter().filter(|_| !parsed.is_page_alone) {
            if word == QUICK {
                parsed.is_quick = true;
            } else if let Some(peer) = entrants().find(|peer| peer.name == word) {
                parsed.peers.push(peer.name);
            } else if let Some(store) = Store::ALL.into_iter().find(|store| store.name() == word) {
                parsed.stores.push(store);
            } else if let Some(row) = ROWS.iter().find(|row| row.workload == word) {
                parsed.workloads.push(row.workload);
            } else {
                bail!("{word:?} is none of the words: {}", known());
            }
        }
        Ok(parsed)
    }

    /// True if every table that is made is whole, so that it may stand on the page.
    pub(crate) fn names_whole_stores(&self) -> bool {
        self.peers.is_empty() && self.workloads.is_empty()
    }

    /// A peer is measured beside this project, whether or not that was named; the floor is named as
    /// a peer is.
    pub(crate) fn peers(&self) -> Vec<&'static Peer> {
        let is_named =
            |peer: &&Peer| self.peers.is_empty() || peer.name == OURS || self.peers.contains(&peer.name);
        let is_on_store = |peer: &&Peer| peer.stores.iter().any(|store| self.has_store(*store));
        entrants().filter(is_named).filter(is_on_store).collect()
    }

    /// A named peer brings the stores that it is on, unless stores are named as well.
    pub(crate) fn has_store(&self, store: Store) -> bool {
        if !self.stores.is_empty() {
            return self.stores.contains(&store);
        }
        let mut named = entrants().filter(|peer| self.peers.contains(&peer.name));
        self.peers.is_empty() || named.any(|peer| peer.stores.contains(&store))
    }

    pub(crate) fn rows(&self) -> Vec<Row> {
        let is_named = |row: &&Row| self.workloads.is_empty() || self.workloads.contains(&row.workload);
        ROWS.iter().filter(is_named).copied().collect()
    }
}

/// All words, for people.
pub(crate) fn known() -> String {
    let peers = entrants().map(|peer| peer.name);
    let mut workloads: Vec<&str> = ROWS.iter().map(|row| row.workload).collect();
    workloads.dedup();
    peers.chain(Store::ALL.map(Store::name)).chain(workloads).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{ROWS, Store, Words};

    fn parsed(words: &[&str]) -> Words {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Words::parse(&words).expect("known words")
    }

    fn names(words: &[&str]) -> Vec<&'static str> {
        parsed(words).peers().iter().map(|peer| peer.name).collect()
    }

    #[test]
    fn a_peer_is_measured_beside_ours_on_its_stores() {
        assert_eq!(names(&["effectum"]), ["ours", "effectum"]);
        let words = parsed(&["effectum", "drain"]);
        let stores: Vec<_> = Store::ALL.into_iter().filter(|store| words.has_store(*store)).collect();
        assert_eq!(stores, [Store::Sqlite]);
        assert!(words.rows().iter().all(|row| row.workload == "drain"));
        assert!(!words.names_whole_stores());
    }

    #[test]
    fn a_store_is_measured_with_all_its_peers_and_its_floor() {
        assert_eq!(names(&["sqlite"]), ["ours", "river", "apalis-sqlite", "effectum", "floor"]);
        assert!(parsed(&["sqlite"]).names_whole_stores() && parsed(&[]).names_whole_stores());
        assert_eq!(parsed(&[]).rows(), ROWS);
    }

    #[test]
    fn the_floor_is_measured_beside_ours_on_its_stores() {
        assert_eq!(names(&["floor"]), ["ours", "floor"]);
        assert_eq!(names(&["floor", "memory"]), ["ours"]);
        let words = parsed(&["floor"]);
        assert!(words.has_store(Store::Redis) && !words.has_store(Store::Memory));
        assert!(!words.names_whole_stores());
    }

    #[test]
    fn an_unknown_word_is_an_error_that_lists_the_known_ones() {
        let error = Words::parse(&["bullmqq".to_owned()]).expect_err("no such peer");
        assert!(error.to_string().contains("bullmq-rs"), "{error}");
    }

    #[test]
    fn the_page_alone_is_asked_for_by_name() {
        assert!(parsed(&["page"]).is_page_alone && !parsed(&[]).is_page_alone);
    }
}
