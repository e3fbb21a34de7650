//! Random bytes in a token, a path or a file do no harm: the input is parsed as what it says, or
//! refused. `cargo xtask soak fuzz` runs longer campaigns.

use super::{AccessError, Token, key_file::KeyFile, queue_in_path::queue_in_path, token_file};
use percent_encoding::percent_decode_str;
use proptest::{prelude::*, sample::Index};
use queue_core::{QueueFilter, QueueGlob, QueueName};
use std::path::Path;

const SECRET: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const KEY_FILE: &str = r#"{"version":1,"keys":[{"id":7,"secret":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","signs_from_ms":5},
    {"id":8,"secret":"BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA","signs_from_ms":-9}]}"#;
const TOKEN_FILE: &str = r#"{"version":1,"tokens":[{"id":"a-1","sha256":
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff","scopes":["work","view"],"queues":["mail*"],
    "expires_at_ms":99,"note":"the shop"},{"id":"b","subject":"CN=mailer,O=Example","scopes":["produce"],"queues":["*"]}]}"#;

/// Bytes that mean something where text has a form.
const MARKS: &[u8] = b"\"\\{}[]:,.-+09aeAZ_ \n\0\xff\xc3*%/=";

/// What is nearly right gets further than noise does.
fn nearly(right: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), prop::sample::select(MARKS)];
    let changes = prop::collection::vec((any::<Index>(), byte, 0..3_u8), 0..5);
    (changes, prop::option::weighted(0.1, any::<Index>())).prop_map(move |(changes, cut)| {
        let mut bytes = right.as_bytes().to_vec();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes
    })
}

/// Whether no text of the error shows this.
fn is_silent(error: &AccessError, secret: &str) -> bool {
    !format!("{error} {error:?}").contains(secret)
}

/// Whether a pattern fits a name, by trying every way.
fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.chars().next(), name.chars().next()) {
        (None, rest) => rest.is_none(),
        (Some('*'), first) => {
            fits(&pattern[1..], name) || first.is_some_and(|first| fits(pattern, &name[first.len_utf8()..]))
        }
        (Some(one), Some(other)) => one == other && fits(&pattern[one.len_utf8()..], &name[one.len_utf8()..]),
        (Some(_), None) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_token_only_as_a_token_is_shown(
        text in prop_oneof![".{0,80}", "qk_[a-z0-9-]{0,34}_[A-Za-z0-9_-]{40,45}", "(qk)?_?[a-zA-Z0-9_=-]{0,90}"],
    ) {
        if let Some(token) = Token::parse(&text) {
            prop_assert_eq!(token.reveal(), text);
        }
    }

    #[test]
    fn any_file_of_keys_is_read_or_refused_without_its_secrets(bytes in nearly(KEY_FILE)) {
        match KeyFile::parse(Path::new("keys"), &bytes) {
            Ok(file) => prop_assert!((1..=2).contains(&file.keys().len())),
            Err(error) => prop_assert!(is_silent(&error, SECRET)),
        }
    }

    #[test]
    fn any_file_of_tokens_is_read_or_refused_without_its_digests(bytes in nearly(TOKEN_FILE)) {
        match token_file::parse(Path::new("tokens"), &bytes) {
            Ok(records) => prop_assert!(records.iter().all(|record| !record.scopes.is_empty())),
            Err(error) => prop_assert!(is_silent(&error, "00112233445566778899")),
        }
    }

    #[test]
    fn any_pattern_matches_what_it_says(pattern in "[ab*é]{0,9}", name in "[abé]{0,9}", more in "[ab*,]{0,9}") {
        let Ok(queue) = QueueName::new(name.as_str()) else { return Ok(()) };
        if let Ok(glob) = pattern.parse::<QueueGlob>() {
            prop_assert_eq!(glob.matches(&queue), fits(&pattern, &name), "{} {}", pattern, name);
        }
        let list = format!("{pattern},{more}");
        if let Ok(filter) = list.parse::<QueueFilter>() {
            let expected = list.split(',').any(|pattern| fits(pattern, &name));
            prop_assert_eq!(filter.matches(&queue), expected, "{} {}", list, name);
        }
    }

    #[test]
    fn any_queue_in_a_path_is_the_one_that_is_spelled_there(
        segment in prop_oneof!["[^/]{0,20}", "([a-z]|%[0-9a-fA-F]{2}|%[0-9a-f]?|é){0,20}"],
    ) {
        let found = queue_in_path("/v1/queues/{queue}/jobs/{id}", &format!("/v1/queues/{segment}/jobs/x"));
        let spelled = percent_decode_str(&segment).decode_utf8().ok().and_then(|name| QueueName::new(name).ok());
        prop_assert_eq!(found, spelled);
    }
}
