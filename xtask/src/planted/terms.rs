//! Mistakes about the terms of a job: in their bytes, and on each way that a job goes.
//!
//! A store that forgets them is a defect of stores, and is planted there.

use super::{
    mistake::{Mistake, Test},
    programs::suite,
};

const BYTES: &str = "crates/queue-core/src/job/terms/encoding.rs";
const AMENDMENT: &str = "crates/queue-core/src/lifecycle/amendment.rs";
const SCHEDULE: &str = "crates/queue-schedule/src/stored_job.rs";
const IMPORT: &str = "crates/queue-sqlite/src/writer/import.rs";
const REMOTE: &str = "crates/queue-remote/src/wire/scalars.rs";

const fn bytes(name: &'static str) -> Test {
    Test { package: "queue-core", target: "lifecycle", name }
}

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "the version of terms is ignored",
        file: BYTES,
        right: "version != VERSION",
        wrong: "version == u8::MAX",
        caught_by: bytes("terms::bytes_that_are_no_terms_are_refused"),
    },
    Mistake {
        name: "terms of a newer version are dropped when they are read",
        file: BYTES,
        right: "terms.newer.push(&field)?",
        wrong: "()",
        caught_by: bytes("terms::terms_of_a_newer_version_are_kept_beside_those_that_change"),
    },
    Mistake {
        name: "an amendment of the retention takes the other terms away",
        file: AMENDMENT,
        right: "(*job.terms).clone()",
        wrong: "JobTerms::PLAIN",
        caught_by: suite("queue-memory", "conformance", "terms::an_amendment_of_one_term_keeps_the_others"),
    },
    Mistake {
        name: "a schedule forgets the terms of its jobs",
        file: SCHEDULE,
        right: "terms.to_bytes()",
        wrong: "Vec::new()",
        caught_by: suite(
            "queue-schedule",
            "options",
            "each_option_is_in_the_stored_form_and_makes_another_schedule_or_is_refused",
        ),
    },
    Mistake {
        name: "a copy has plain terms",
        file: IMPORT,
        right: "JobMeta { seq: self.next_seq()?, ..meta.clone() }",
        wrong: "JobMeta { seq: self.next_seq()?, terms: queue_core::SharedTerms::PLAIN, ..meta.clone() }",
        caught_by: suite("queue-sqlite", "conformance", "terms::a_moved_job_keeps_its_terms"),
    },
    Mistake {
        name: "a job that goes over a service has plain terms",
        file: REMOTE,
        right: "terms.to_bytes()",
        wrong: "Vec::new()",
        caught_by: suite(
            "queue-remote",
            "conformance_memory",
            "terms::each_term_is_kept_and_comes_with_claims_and_reads",
        ),
    },
];
