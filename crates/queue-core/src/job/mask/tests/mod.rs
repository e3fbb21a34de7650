mod always;
mod template;

use super::{mask_header, mask_secrets};
use crate::{SeededRng, job::mask::shapes};
use template::Template;

/// Shapes of secrets, with places for made-up ones, so that no secret is committed.
const SECRETS: &str = include_str!("secrets.txt");
const HARMLESS: &str = include_str!("harmless.txt");

#[test]
fn the_shapes_are_a_pattern() {
    regex::Regex::new(&shapes::pattern()).expect("it compiles");
}

#[test]
fn secrets_of_a_hundred_shapes_are_masked() {
    assert!(SECRETS.lines().count() >= 100);
    for seed in 0..50 {
        let rng = SeededRng::new(seed);
        let leaks = |line: &&str| {
            let filled = Template::filled(line, &rng);
            filled.leaks_in(&mask_secrets(&filled.text))
        };
        let leaking: Vec<&str> = SECRETS.lines().filter(leaks).collect();
        assert!(leaking.is_empty(), "with the seed {seed}, {} pass: {leaking:#?}", leaking.len());
    }
}

#[test]
fn a_hundred_harmless_texts_stay_as_they_are() {
    assert!(HARMLESS.lines().count() >= 100);
    let changed: Vec<_> = HARMLESS
        .lines()
        .map(|line| (line, mask_secrets(line)))
        .filter(|(line, masked)| line != masked)
        .collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn what_stands_around_a_secret_stays() {
    for (text, masked) in [
        ("password=hunter2 user=x", "password=*** user=x"),
        ("PGPASSWORD: hunter2", "PGPASSWORD: ***"),
        (r#"{"api_key": "abc def", "a": 1}"#, r#"{"api_key": "***", "a": 1}"#),
        ("url?token=abc&x=1", "url?token=***&x=1"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("api-key='x y' secret=z", "api-key='***' secret=***"),
        ("\u{130}\u{130} password=x", "\u{130}\u{130} password=***"),
        ("postgres://app:hunter2@db/jobs?a=1", "postgres://app:***@db/jobs?a=1"),
        (r#"{"p":"{\"token\":\"a\\\"b\",\"n\":1}"}"#, r#"{"p":"{\"token\":\"***\",\"n\":1}"}"#),
        (r#"Login { password: Some("a\"b"), id: 5 }"#, r#"Login { password: Some("***"), id: 5 }"#),
        ("<password>x</password><a/>", "<password>***</password><a/>"),
        ("(password=hunter2)", "(password=***)"),
        ("Cookie: a=b; c=d\nHost: x", "Cookie: ***\nHost: x"),
        ("key:\n-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nread", "key:\n***\nread"),
    ] {
        assert_eq!(mask_secrets(text), masked);
    }
}

#[test]
fn the_name_of_a_header_says_whether_its_value_is_a_secret() {
    for (name, value, masked) in [
        ("x-api-key", "abc", "***"),
        ("authorization", "Bearer abc", "Bearer ***"),
        (
            "traceparent",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ),
        ("tenant", "acme", "acme"),
        ("a", "see postgres://app:hunter2@db", "see postgres://app:***@db"),
        ("password=x", "y", "***"),
    ] {
        assert_eq!(mask_header(name, value), masked, "{name}");
    }
}
