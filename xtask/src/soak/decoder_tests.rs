//! Whether each decoder has a campaign, and each campaign its test.

use super::decoders::CAMPAIGNS;
use crate::repo::Repo;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What reads text or bytes, in the source of a file.
const READS: [&str; 9] = [
    "Deserialize",
    "from_utf8",
    "decode(",
    "percent_decode",
    "serde_json::from_",
    ".parse()",
    ".parse::<",
    "fn from_str(",
    "header::",
];

/// Files that read nothing that comes over the network.
const OTHERS: &[(&str, &str)] = &[
    ("queue-http/src/access/refusal.rs", "it writes the headers of answers"),
    ("queue-http/src/openapi.rs", "it reads what it has written itself"),
    ("queue-http/src/problem.rs", "it writes the headers of answers"),
    ("queue-http/src/serve/address.rs", "an argument of the program"),
    ("queue-http/src/serve/connection.rs", "hyper reads; it writes the headers of answers"),
    ("queue-http/src/serve/server.rs", "an address of its own"),
    ("queue-http/src/verbs/about.rs", "it writes the headers of answers"),
    ("queue-http/src/verbs/events.rs", "it writes the headers of answers"),
    ("queue-remote/src/client/call.rs", "it decodes answers as `wire/mod.rs` does"),
    ("queue-remote/src/client/service_client.rs", "it writes the headers of requests"),
    ("queue-remote/src/endpoint.rs", "an argument of the program"),
    ("queue-remote/src/server/hint_body.rs", "it writes frames"),
    ("queue-remote/src/server/service.rs", "it writes the headers of answers"),
];

#[test]
fn every_decoder_that_the_network_reaches_has_a_campaign() {
    let crates = Repo::find().root().join("crates");
    let mut found = BTreeSet::new();
    for folder in ["queue-http/src", "queue-remote/src", "queue-service/src"] {
        collect(&crates, &crates.join(folder), &mut found);
    }
    let listed = CAMPAIGNS.iter().flat_map(|campaign| campaign.files).copied();
    let listed: BTreeSet<String> =
        listed.chain(OTHERS.iter().map(|(file, _)| *file)).map(str::to_owned).collect();
    let missing: Vec<_> = found.difference(&listed).collect();
    assert!(missing.is_empty(), "they read something, and no campaign is about them: {missing:?}");
    let gone: Vec<_> = listed.iter().filter(|file| !crates.join(file).is_file()).collect();
    assert!(gone.is_empty(), "they are no files any more: {gone:?}");
}

#[test]
fn every_campaign_is_there() {
    let crates = Repo::find().root().join("crates");
    for campaign in CAMPAIGNS {
        let name = campaign.test.rsplit("::").next().expect("at least itself");
        assert!(has(&crates.join(campaign.package), &format!("fn {name}(")), "no test {name}");
    }
}

fn collect(crates: &Path, folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(crates).expect("below it").display().to_string();
        if path.is_dir() {
            collect(crates, &path, found);
        } else if !name.contains("tests") {
            let text = fs::read_to_string(&path).expect("a source");
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            if READS.iter().any(|word| code.contains(word)) {
                found.insert(name);
            }
        }
    }
}

fn has(path: &Path, text: &str) -> bool {
    if path.is_dir() {
        let mut entries = fs::read_dir(path).expect("a folder");
        return entries.any(|entry| has(&entry.expect("an entry").path(), text));
    }
    fs::read_to_string(path).is_ok_and(|found| found.contains(text))
}
