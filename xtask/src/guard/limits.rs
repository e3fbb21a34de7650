//! How many instructions each subject may take.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, fs};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// What a count may be above the one that was committed. As far below, it is time for a lower
/// limit, which would notice the way back.
const ROOM_PERCENT: u64 = 5;

/// The counts that were committed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Limits {
    /// With which they were taken.
    pub(super) compiler: String,
    instructions: BTreeMap<String, u64>,
}

/// A count beside the committed one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Within { name: String, count: u64, committed: u64 },
    Above { name: String, count: u64, committed: u64 },
    Below { name: String, count: u64, committed: u64 },
}

impl Limits {
    pub(super) fn of(instructions: BTreeMap<String, u64>, compiler: String) -> Self {
        Self { compiler, instructions }
    }

    pub(super) fn load(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} makes no sense", path.display()))
    }

    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// A subject without a limit would never fail, and a limit without a subject guards nothing.
    pub(super) fn require_the_same_subjects(&self, subjects: &[String]) -> Result<()> {
        let unlimited: Vec<_> =
            subjects.iter().filter(|name| !self.instructions.contains_key(*name)).collect();
        let left_over: Vec<_> = self.instructions.keys().filter(|name| !subjects.contains(name)).collect();
        ensure!(
            unlimited.is_empty() && left_over.is_empty(),
            "without a limit: {unlimited:?}; limits of nothing: {left_over:?}; `cargo xtask guard --bless` writes them anew"
        );
        Ok(())
    }

    pub(super) fn judge(&self, name: &str, count: u64) -> Result<Verdict> {
        let committed = *self.instructions.get(name).with_context(|| format!("{name} has no limit"))?;
        let room = committed * ROOM_PERCENT / 100;
        let name = name.to_owned();
        Ok(match count {
            _ if count > committed + room => Verdict::Above { name, count, committed },
            _ if count < committed - room => Verdict::Below { name, count, committed },
            _ => Verdict::Within { name, count, committed },
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Within { name, count, committed }
        | Self::Above { name, count, committed }
        | Self::Below { name, count, committed }) = self;
        #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
        let change = (*count as f64 / *committed as f64 - 1.0) * 100.0;
        let word = match self {
            Self::Within { .. } => "within the limit",
            Self::Above { .. } => "TOO MANY",
            Self::Below { .. } => "FEWER: `cargo xtask guard --bless` keeps it so",
        };
        write!(f, "{name:<16} {count:>12} instructions, {change:+6.2} % of {committed}: {word}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, Verdict};

    fn limits() -> Limits {
        Limits::of([("decide".to_owned(), 1000)].into(), "rustc 1".to_owned())
    }

    #[test]
    fn five_percent_either_way_is_room() {
        let judge = |count| limits().judge("decide", count).expect("it has a limit");
        assert!(
            matches!(judge(1050), Verdict::Within { .. }) && matches!(judge(950), Verdict::Within { .. })
        );
        assert!(matches!(judge(1051), Verdict::Above { .. }) && matches!(judge(949), Verdict::Below { .. }));
        assert!(judge(1100).to_string().contains("+10.00 % of 1000: TOO MANY"), "{}", judge(1100));
    }

    #[test]
    fn a_subject_and_its_limit_belong_together() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        limits().require_the_same_subjects(&names(&["decide"])).expect("they match");
        limits().require_the_same_subjects(&names(&["decide", "new"])).expect_err("new has no limit");
        limits().require_the_same_subjects(&[]).expect_err("decide is not counted");
    }

    #[test]
    fn what_was_saved_is_loaded_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("limits.json");
        limits().save(&path).expect("it can be saved");
        assert_eq!(Limits::load(&path).expect("it can be loaded"), limits());
    }
}
