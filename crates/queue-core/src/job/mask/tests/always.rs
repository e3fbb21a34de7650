//! What holds for every text.

use super::{SECRETS, Template, mask_secrets};
use crate::{FAILURE_MESSAGE_BYTES_MAX, Failure, SeededRng};
use proptest::prelude::*;

/// Texts made of the parts that the shapes look for, in any order.
fn parts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        proptest::sample::select(vec![
            "password",
            "token",
            "secret",
            "api key",
            "_PASS",
            "Authorization",
            "Cookie",
            "sid=",
            "=",
            ":",
            ": ",
            " ",
            "\"",
            "\\\"",
            "\\",
            "'",
            "Some(",
            "Bearer ",
            "basic ",
            "://",
            "@",
            "/",
            "***",
            "**",
            "*",
            "<password>",
            "</",
            "&",
            ";",
            ",",
            "}",
            "null",
            "must",
            "is",
            "unexpected token",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "\n",
            "eyJabcdefgh",
            ".",
            "ghp_",
            "qk_a_",
            "abcdefgh12345678",
            "0123456789",
            "é",
            "--",
            "curl -u ",
            "\"value\"",
            "login ",
            "name=\"",
            "$2b$",
            "?key=",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9+/=_-]{1,24}",
        ".{0,4}",
    ];
    proptest::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn masking_a_masked_text_changes_nothing(text in prop_oneof![parts(), ".{0,200}"]) {
        let masked = mask_secrets(&text);
        prop_assert_eq!(mask_secrets(&masked), masked);
    }

    #[test]
    fn a_failure_that_is_cut_anywhere_is_read_back_as_it_was(text in parts(), before in 900_usize..1030) {
        let once = Failure::new("Io", ".".repeat(before) + &text);
        prop_assert!(once.message().len() <= FAILURE_MESSAGE_BYTES_MAX);
        prop_assert_eq!(Failure::new(once.name(), once.message()), once);
    }
}

#[test]
fn a_secret_that_the_cut_goes_through_is_masked_and_stays_as_it_is() {
    let rng = SeededRng::new(7);
    for line in SECRETS.lines() {
        let filled = Template::filled(line, &rng);
        for behind in 0..=filled.text.len().min(80) {
            let text = ".".repeat(FAILURE_MESSAGE_BYTES_MAX - behind) + "\n" + &filled.text;
            let once = Failure::new("Io", &text);
            assert!(!filled.leaks_in(once.message()), "{line}, cut behind {behind}");
            assert_eq!(Failure::new("Io", once.message()), once, "{line}, cut behind {behind}");
        }
    }
}

#[test]
fn texts_that_are_written_to_be_slow_or_deep_are_masked_in_the_same_few_passes() {
    for part in [
        "token=x ",
        "<token ",
        "://a:",
        "password\\\\\\",
        "-----BEGIN PRIVATE KEY-----\n",
        "token='",
        "curl -u",
        "\\",
    ] {
        let masked = mask_secrets(&part.repeat(4_000));
        assert_eq!(mask_secrets(&masked), masked);
    }
}
