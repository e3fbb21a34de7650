//! A source and a target.

use crate::many::StoreKind;
use clap::ValueEnum;
use std::str::FromStr;

#[derive(Clone, Copy, Debug)]
pub(super) struct StorePair {
    pub(super) from: StoreKind,
    pub(super) to: StoreKind,
}

impl StorePair {
    /// Every pair of these kinds, a kind with itself too.
    pub(super) fn all(kinds: &[StoreKind]) -> Vec<Self> {
        kinds.iter().flat_map(|&from| kinds.iter().map(move |&to| Self { from, to })).collect()
    }
}

impl FromStr for StorePair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once('-').ok_or("a pair is FROM-TO, such as sqlite-postgres")?;
        Ok(Self { from: StoreKind::from_str(from, true)?, to: StoreKind::from_str(to, true)? })
    }
}
