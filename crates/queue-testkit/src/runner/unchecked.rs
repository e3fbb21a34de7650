//! Says before the first trial what the suite does not check on a store, and why, since an ignored
//! case is easily overlooked.

use crate::cases::{Case, Need};
use std::fmt::Write;

/// One line for each need that the store or its harness does not meet, with what would meet it;
/// empty if there is none.
pub(super) fn describe(name: &str, cases: &[(&Case, Option<Need>)]) -> String {
    let mut lacking: Vec<Need> = Vec::new();
    for need in cases.iter().filter_map(|(_, lacking)| *lacking) {
        if !lacking.contains(&need) {
            lacking.push(need);
        }
    }
    let mut text = String::new();
    for need in lacking {
        let count = cases.iter().filter(|(_, lacking)| *lacking == Some(need)).count();
        let provided_by = need.provided_by();
        let all = cases.len();
        writeln!(
            text,
            "{name}: ignored for lack of {need}: {count} of {all} cases; provided by {provided_by}"
        )
        .expect("a string takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::all;

    #[test]
    fn each_need_that_is_not_met_is_named_once_with_what_meets_it() {
        let cases = |lacking: Option<Need>| -> Vec<_> { all().map(|case| (case, lacking)).collect() };
        assert_eq!(describe("x", &cases(None)), "");
        let count = all().count();
        let expected = format!(
            "x: ignored for lack of verify: {count} of {count} cases; provided by `Storage::verify`. \
             Without it no case compares the indexes with the records at its end\n"
        );
        assert_eq!(describe("x", &cases(Some(Need::Verify))), expected);
    }
}
