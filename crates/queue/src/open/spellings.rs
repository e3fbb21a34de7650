//! Every option of every store, and how its URL spells it.

use super::{StoreUrl, fs, sqlite};
use queue_postgres::PostgresOptions;
use queue_redis::RedisOptions;
use queue_remote::RemoteOptions;
use std::{collections::BTreeMap, fmt::Debug, path::Path};

/// One store: its page, a URL without options, and its options, by the names of their fields.
struct SpelledStore {
    page: &'static str,
    base: &'static str,
    fields: fn(&str) -> BTreeMap<String, String>,
    /// A field, and an option that changes it; or none, and the reason.
    options: &'static [(&'static str, Result<&'static str, &'static str>)],
}

const ONLY_IN_CODE: Result<&str, &str> = Err("a value of Rust");
const OF_TESTS: Result<&str, &str> = Err("for tests of the store");
const THE_BASE: Result<&str, &str> = Err("the URL before its options");

const LIMITS: [&str; 5] =
    ["payload_bytes_max=7", "note_bytes_max=7", "batch_max=7", "call_bytes_max=7", "answer_bytes_max=7"];

const STORES: [SpelledStore; 5] = [
    SpelledStore {
        page: "sqlite.md",
        base: "sqlite:jobs.db",
        fields: |url| of(&sqlite::options(&StoreUrl::parse(url).expect(url)).expect(url)),
        options: &[
            ("path", THE_BASE),
            ("create", Ok("create=never")),
            ("synchronous", Ok("synchronous=normal")),
            ("clock", ONLY_IN_CODE),
            ("clock_bound", Ok("clock_step_max=2h")),
            ("poll_interval", Ok("poll_interval=1s")),
            ("busy_timeout", Ok("busy_timeout=1m30s")),
            ("pages_max", OF_TESTS),
            ("file_system", OF_TESTS),
        ],
    },
    SpelledStore {
        page: "files.md",
        base: "file:jobs",
        fields: |url| of(&fs::options(&StoreUrl::parse(url).expect(url)).expect(url)),
        options: &[
            ("path", THE_BASE),
            ("create", Ok("create=never")),
            ("flush", Ok("flush=100ms")),
            ("clock", ONLY_IN_CODE),
            ("clock_bound", Ok("clock_step_max=2h")),
            ("rng", OF_TESTS),
            ("poll_interval", Ok("poll_interval=1s")),
            ("busy_timeout", Ok("busy_timeout=1m30s")),
            ("memory_budget_bytes", Ok("memory_budget_bytes=1000000")),
            ("segment_bytes", OF_TESTS),
            ("reserve_bytes", OF_TESTS),
            ("fs", OF_TESTS),
        ],
    },
    SpelledStore {
        page: "postgres.md",
        base: "postgres://u@h/d",
        fields: |url| of(&PostgresOptions::new(url).expect(url)),
        options: &[
            ("source", THE_BASE),
            ("schema", Ok("schema=jobs")),
            ("migrations", Ok("migrations=expect")),
            ("listen", Ok("listen=off")),
            ("pooler", Ok("pooler=transactions")),
            ("time", ONLY_IN_CODE),
            ("connections_max", Ok("connections_max=2")),
            ("acquire_timeout", Ok("acquire_timeout=1s")),
            ("call_timeout", Ok("call_timeout=1s")),
            ("probe_interval", Ok("probe_interval=1s")),
        ],
    },
    SpelledStore {
        page: "redis.md",
        base: "redis://h",
        fields: |url| of(&RedisOptions::new(url).expect(url)),
        options: &[
            ("endpoint", THE_BASE),
            ("certificates", Err("of `rediss:` alone, and tested there")),
            ("namespace", Ok("namespace=mail")),
            ("eviction", Ok("eviction=allow")),
            ("replicas", Ok("wait_for_replicas=1,500ms")),
            ("clock", ONLY_IN_CODE),
            ("response_timeout", Ok("response_timeout=1s")),
            ("connect_timeout", Ok("connect_timeout=1s")),
            ("pool", ONLY_IN_CODE),
        ],
    },
    SpelledStore {
        page: "remote.md",
        base: "http://h/",
        fields: |url| of(&RemoteOptions::new(url).expect(url)),
        options: &[
            ("endpoint", THE_BASE),
            ("certificates", Err("of `https:` alone, and tested there")),
            ("token", Ok("token-file=/run/token")),
            ("allows_cleartext", Ok("cleartext=allow")),
            ("response_timeout", Ok("response-timeout=1s")),
            ("connect_timeout", Ok("connect-timeout=1s")),
        ],
    },
];

#[test]
fn every_option_of_every_store_has_a_spelling_in_its_url() {
    for SpelledStore { base, fields, options, .. } in STORES {
        let plain = fields(base);
        for (field, spelling) in options {
            let Ok(spelling) = spelling else { continue };
            assert_eq!(changed(&plain, &fields(&format!("{base}?{spelling}"))), [*field], "{base}");
        }
        let listed = |field: &str| options.iter().any(|(name, _)| *name == field) || field == "limits";
        let unlisted: Vec<_> = plain.keys().filter(|field| !listed(field)).collect();
        assert!(unlisted.is_empty(), "{base}: give a spelling, or the reason against one, to {unlisted:?}");
        if plain.contains_key("limits") {
            for limit in LIMITS {
                let limited = fields(&format!("{base}?{limit}"));
                assert_eq!(changed(&plain, &limited), ["limits"], "{base}?{limit}");
                let shown = limit.replace('=', ": ");
                assert!(limited["limits"].contains(&shown), "{limit}: {}", limited["limits"]);
            }
        }
    }
}

#[test]
fn the_page_of_a_store_lists_the_spelling_of_each_of_its_options() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/stores");
    for SpelledStore { page, base, fields, options } in STORES {
        let text = std::fs::read_to_string(pages.join(page)).expect(page);
        let limits = LIMITS.into_iter().filter(|_| fields(base).contains_key("limits"));
        let spelled = options.iter().filter_map(|(_, spelling)| spelling.ok()).chain(limits);
        for spelling in spelled {
            let (key, _) = spelling.split_once('=').expect("it has a value");
            assert!(text.contains(&format!("`{key}`")) || text.contains(&format!("{key}=")), "{page}: {key}");
        }
    }
}

fn changed(plain: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> Vec<String> {
    plain.keys().filter(|field| plain[*field] != other[*field]).cloned().collect()
}

/// The fields of options, each with what it shows.
fn of(options: &impl Debug) -> BTreeMap<String, String> {
    let shown = format!("{options:#?}");
    let mut fields = BTreeMap::<String, String>::new();
    let mut current = String::new();
    for line in shown.lines() {
        let field = line.strip_prefix("    ").filter(|rest| !rest.starts_with([' ', '}', ')', ']']));
        if let Some((name, _)) = field.and_then(|rest| rest.split_once(": ")) {
            name.clone_into(&mut current);
        }
        fields.entry(current.clone()).or_default().push_str(line);
    }
    fields.remove("");
    fields
}
