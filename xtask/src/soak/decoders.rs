//! What reads bytes that come over the network, and the campaign of random inputs that each has.
//!
//! A test keeps the two tables complete: each file of the crates that serve, or that work over a
//! service, and that reads text or bytes, is in one of them.

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
const SERVICE: &str = "queue-service";

pub(super) const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        decoder: "receipts: any text and any bytes",
        files: &["queue-http/src/receipt/mod.rs"],
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
        files: &[
            "queue-http/src/routes/call.rs",
            "queue-http/src/verbs/jobs/listing.rs",
            "queue-http/src/verbs/partitions.rs",
        ],
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
    Campaign {
        decoder: "answers to a worker over a service, and the jobs in them",
        files: &[
            "queue-service/src/client/calls.rs",
            "queue-service/src/error.rs",
            "queue-service/src/wire/answers.rs",
            "queue-service/src/wire/claimed_job.rs",
            "queue-service/src/wire/mod.rs",
        ],
        package: SERVICE,
        target: "lib",
        test: "client::noise_tests::any_answer_is_read_without_harm",
        inputs: 4,
    },
    Campaign {
        decoder: "documents of a service that a command reads",
        files: &[
            "queue-service/src/store/answers.rs",
            "queue-service/src/store/body_json.rs",
            "queue-service/src/store/job_json.rs",
            "queue-service/src/store/listing.rs",
            "queue-service/src/store/partition_json.rs",
            "queue-service/src/store/queue_json.rs",
            "queue-service/src/store/service_store.rs",
            "queue-service/src/store/storage.rs",
        ],
        package: SERVICE,
        target: "lib",
        test: "store::noise_tests::any_document_is_read_without_harm",
        inputs: 13,
    },
];

/// What the bodies of `/v1` are made of.
const BODIES: &[&str] = &[
    "queue-http/src/routes/call.rs",
    "queue-http/src/verbs/batches.rs",
    "queue-http/src/verbs/batches/input.rs",
    "queue-http/src/verbs/change.rs",
    "queue-http/src/verbs/change/by_filter.rs",
    "queue-http/src/verbs/claim.rs",
    "queue-http/src/verbs/enqueue.rs",
    "queue-http/src/verbs/extend.rs",
    "queue-http/src/verbs/limits.rs",
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
    "queue-http/src/wire/mod.rs",
    "queue-http/src/wire/new_job.rs",
    "queue-http/src/wire/objects.rs",
];
