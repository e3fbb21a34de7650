//! How two listings differ.

use std::collections::BTreeSet;

/// The lines that are gone, then those that are new. The order of lines says nothing, since
/// listings are sorted.
pub(super) fn changes(before: &str, after: &str) -> Vec<String> {
    let [old, new]: [BTreeSet<&str>; 2] = [before.lines().collect(), after.lines().collect()];
    let gone = old.difference(&new).map(|line| format!("- {line}"));
    let added = new.difference(&old).map(|line| format!("+ {line}"));
    gone.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn equal_listings_do_not_differ() {
        assert!(changes("pub mod a\npub fn a::b()\n", "pub mod a\npub fn a::b()\n").is_empty());
    }

    #[test]
    fn a_changed_line_is_gone_and_added() {
        let found = changes("pub mod a\npub fn a::b()\n", "pub mod a\npub fn a::b(u8)\n");
        assert_eq!(found, ["- pub fn a::b()", "+ pub fn a::b(u8)"]);
    }

    #[test]
    fn a_listing_that_is_missing_is_a_change() {
        assert_eq!(changes("", "pub mod a\n"), ["+ pub mod a"]);
    }
}
