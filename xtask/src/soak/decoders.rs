//! What reads bytes that come over the network, and the campaign of random inputs that each has.
//!
//! A test keeps the two tables complete: each file of the two crates that serve, and that reads
//! text or bytes, is in one of them.

/// A test of random inputs.
pub(super) struct Campaign {
    /// What it is about, for people.
    pub(super) decoder: &'static str,
    /// The files that it reaches, from the folder `crates`.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the test that finds decoders without a campaign reads it")
    )]
    pub(super) files: &'static [&'static str],
    pub(super) package: &'static str,
    /// `lib`, or the name of a test target.
    pub(super) target: &'static str,
    pub(super) test: &'static str,
    /// How many inputs a case of it decodes.
    pub(super) inputs: u64,
}

const HTTP: &str = "queue-http";
const REMOTE: &str = "queue-remote";

pub(super) const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        decoder: "receipts: any text and any bytes",
        files: &["queue-http/src/receipt/mod.rs", "queue-http/src/receipt/fields.rs"],
        package: HTTP,
        target: "lib",
        test: "receipt::tests::any_text_and_any_bytes_are_read_without_harm",
        inputs: 4,
    },
    Campaign {
        decoder: "receipts: genuine ones with a wrong bit, cut, longer, of other keys",
        files: &["queue-http/src/receipt/mod.rs", "queue-http/src/access/keys.rs"],
        package: HTTP,
        target: "lib",
        test: "receipt::tests::a_receipt_that_differs_in_a_bit_is_none",
        inputs: 5,
    },
    Campaign {
        decoder: "tokens",
        files: &["queue-http/src/access/token.rs"],
        package: HTTP,
        target: "lib",
        test: "access::noise_tests::any_text_is_a_token_only_as_a_token_is_shown",
        inputs: 1,
    },
    Campaign {
        decoder: "the file of receipt keys",
        files: &["queue-http/src/access/key_file.rs"],
        package: HTTP,
        target: "lib",
        test: "access::noise_tests::any_file_of_keys_is_read_or_refused_without_its_secrets",
        inputs: 1,
    },
    Campaign {
        decoder: "the file of tokens, scopes and patterns",
        files: &["queue-http/src/access/token_file.rs", "queue-http/src/access/scope.rs"],
        package: HTTP,
        target: "lib",
        test: "access::noise_tests::any_file_of_tokens_is_read_or_refused_without_its_digests",
        inputs: 1,
    },
    Campaign {
        decoder: "patterns of queues",
        files: &[
            "queue-core/src/names/queue_glob.rs",
            "queue-core/src/storage/queue_filter.rs",
            "queue-http/src/verbs/metrics.rs",
        ],
        package: HTTP,
        target: "lib",
        test: "access::noise_tests::any_pattern_matches_what_it_says",
        inputs: 1,
    },
    Campaign {
        decoder: "percent-encoded queues of paths",
        files: &["queue-http/src/access/queue_in_path.rs"],
        package: HTTP,
        target: "lib",
        test: "access::noise_tests::any_queue_in_a_path_is_the_one_that_is_spelled_there",
        inputs: 1,
    },
    Campaign {
        decoder: "headers of requests",
        files: &[
            "queue-http/src/access/access_control.rs",
            "queue-http/src/access/browser_rules.rs",
            "queue-http/src/access/principal.rs",
            "queue-http/src/access/tokens.rs",
            "queue-http/src/routes/endpoint.rs",
        ],
        package: HTTP,
        target: "lib",
        test: "access::door_tests::headers::any_headers_open_no_door_without_a_genuine_token",
        inputs: 1,
    },
    Campaign {
        decoder: "JSON bodies: any fields",
        files: BODIES,
        package: HTTP,
        target: "it",
        test: "fuzz::any_body_is_answered_as_described",
        inputs: 1,
    },
    Campaign {
        decoder: "JSON bodies: right ones with wrong bytes",
        files: BODIES,
        package: HTTP,
        target: "it",
        test: "fuzz::a_body_with_wrong_bytes_is_answered_as_described",
        inputs: 1,
    },
    Campaign {
        decoder: "cursors and parameters of listings",
        files: &["queue-http/src/verbs/jobs/listing.rs", "queue-http/src/routes/call.rs"],
        package: HTTP,
        target: "it",
        test: "fuzz::any_cursor_and_any_parameter_of_a_listing_are_answered_as_described",
        inputs: 1,
    },
    Campaign {
        decoder: "paths with percent-encoded ids, and queries",
        files: &[
            "queue-http/src/routes/call.rs",
            "queue-http/src/verbs/jobs.rs",
            "queue-http/src/verbs/stats.rs",
        ],
        package: HTTP,
        target: "it",
        test: "fuzz::any_path_and_any_query_are_answered_as_described",
        inputs: 1,
    },
    Campaign {
        decoder: "`/store/v1`: noise, as each of its messages",
        files: &["queue-remote/src/wire/mod.rs"],
        package: REMOTE,
        target: "lib",
        test: "wire::tests::hostile::noise_is_read_without_a_panic",
        inputs: 43,
    },
    Campaign {
        decoder: "`/store/v1`: messages with wrong bytes, as each of its messages",
        files: &["queue-remote/src/wire/mod.rs"],
        package: REMOTE,
        target: "lib",
        test: "wire::tests::hostile::a_message_with_wrong_bytes_is_read_without_a_panic",
        inputs: 129,
    },
    Campaign {
        decoder: "`/store/v1`: whole requests",
        files: &["queue-remote/src/server/dispatch.rs", "queue-remote/src/server/request.rs"],
        package: REMOTE,
        target: "it",
        test: "any_request::any_request_is_answered_or_refused",
        inputs: 1,
    },
    Campaign {
        decoder: "answers that are no store's: pages and problem documents",
        files: &["queue-remote/src/client/problem.rs"],
        package: REMOTE,
        target: "lib",
        test: "client::problem::tests::any_page_is_no_problem_document_unless_it_is_whole_and_of_a_known_kind",
        inputs: 1,
    },
    Campaign {
        decoder: "`/store/v1`: frames of hints",
        files: &["queue-remote/src/hints/frames.rs"],
        package: REMOTE,
        target: "lib",
        test: "hints::frames::tests::any_pieces_are_read_without_a_panic_and_are_not_kept",
        inputs: 1,
    },
];

/// What the bodies of `/v1` are made of.
const BODIES: &[&str] = &[
    "queue-http/src/routes/call.rs",
    "queue-http/src/verbs/change.rs",
    "queue-http/src/verbs/change/by_filter.rs",
    "queue-http/src/verbs/claim.rs",
    "queue-http/src/verbs/enqueue.rs",
    "queue-http/src/verbs/extend.rs",
    "queue-http/src/verbs/operations.rs",
    "queue-http/src/verbs/outcome.rs",
    "queue-http/src/verbs/queues.rs",
    "queue-http/src/verbs/schedules/input.rs",
    "queue-http/src/verbs/schedules/preview.rs",
    "queue-http/src/verbs/settle.rs",
    "queue-http/src/verbs/settle/events.rs",
    "queue-http/src/verbs/workers.rs",
    "queue-http/src/wire/data.rs",
    "queue-http/src/wire/headers.rs",
    "queue-http/src/wire/keep.rs",
    "queue-http/src/wire/new_job.rs",
    "queue-http/src/wire/objects.rs",
];

#[cfg(test)]
mod tests {
    use super::CAMPAIGNS;
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
        for folder in ["queue-http/src", "queue-remote/src"] {
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
}
