//! What an examination found.

use crate::Damage;

/// What the files of a store hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// The files of the journal, in order.
    pub files: Vec<FileReport>,
    /// What is not as this library wrote it. Empty for a sound store.
    pub damage: Vec<Damage>,
    /// Bytes at the end that are the remains of a write cut short by a crash, for which no caller
    /// got an answer. The next open removes them.
    pub torn_bytes: u64,
    /// Records that are certainly missing.
    pub records_lost: u64,
    /// Jobs that can be read.
    pub jobs: u64,
    /// Files that were put aside by a repair, under their new names.
    pub put_aside: Vec<String>,
}

/// One file of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileReport {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Records that can be read.
    pub records: u64,
}

impl CheckReport {
    /// Whether the store opens and the check finds nothing missing: opening it decides.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty()
    }

    /// Adds something that is wrong, unless it is known that there is something wrong there.
    pub(super) fn add_damage(&mut self, damage: &Damage) {
        let is_told = |told: &Damage| (&told.file, told.offset) == (&damage.file, damage.offset);
        if !self.damage.iter().any(is_told) {
            self.damage.push(damage.clone());
        }
    }
}
