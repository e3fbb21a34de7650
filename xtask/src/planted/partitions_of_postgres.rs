//! Mistakes about partitions in the tables and functions of the store on Postgres, and about claims
//! that share a statement.
//!
//! A function of the server cannot ask the environment, so what is planted is how its text is
//! rendered.

use super::mistake::{Mistake, Test};

const FILE: &str = "crates/queue-postgres/src/migrate.rs";
/// The text of the tables, triggers and functions.
const TABLES: &str = r#"fill(text, &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#;
const LIMITS: &str = "crates/queue-postgres/src/verbs/limits.rs";

const IN_TURN: &str = "crates/queue-postgres/src/verbs/claim/in_turn.rs";
/// The arguments of a statement that several claims share.
const REQUESTS: &str = "crates/queue-postgres/src/verbs/claim/requests.rs";

/// A test of this store alone.
const fn own(name: &'static str) -> Test {
    Test { package: "queue-postgres", target: "it", name }
}

/// A case of the suite on Postgres.
const fn case(name: &'static str) -> Test {
    Test { package: "queue-postgres", target: "conformance", name }
}

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "Postgres: the end of a lease leaves no slip",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("WHEN (OLD.partition IS NOT NULL)", "WHEN (false)"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("slots::each_settle_frees_one_slot"),
    },
    Mistake {
        name: "Postgres: a job that comes to wait leaves no slip",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("WHEN (NEW.partition IS NOT NULL AND", "WHEN (false AND"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("turns::partitions_take_turns"),
    },
    Mistake {
        name: "Postgres: a job that comes back to its partition leaves no slip",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("AFTER INSERT OR UPDATE OF priority, run_at ON", "AFTER INSERT ON"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("passed_over::a_resumed_kind_comes_back_to_its_partitions"),
    },
    Mistake {
        name: "Postgres: a partition gets one job more than its limit",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("THEN running - (", "THEN running + 1 - ("), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("slots::each_settle_frees_one_slot"),
    },
    Mistake {
        name: "Postgres: a claim gets one limited job more than it may",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("n_limited <= most_limited", "n_limited <= most_limited + 1"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("passed_over::a_claim_gets_no_more_limited_jobs_than_it_asks_for"),
    },
    Mistake {
        name: "Postgres: a claim moves no turn on",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("turn + step * got)", "turn)"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("turns::turns_hold_from_claim_to_claim"),
    },
    Mistake {
        name: "Postgres: a weight counts for nothing",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("1000000 / coalesce(m.weight, 1) AS step", "1000000 AS step"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("turns::a_partition_gets_jobs_by_its_weight"),
    },
    Mistake {
        name: "Postgres: a rest is saved up",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("greatest(least(present, b.lowest), b.lowest - 1000000, 0)", "0::bigint"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("turns::a_rest_saves_nothing_up"),
    },
    Mistake {
        name: "Postgres: the limit of each partition counts before its own",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("ORDER BY l.is_own DESC", "ORDER BY l.is_own"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("partition_limits::its_own_limit_counts_before_that_of_each"),
    },
    Mistake {
        name: "Postgres: a look forgets the next delayed job",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("ELSE w.run_at END) AS wake_at", "END) AS wake_at"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case(
            "partition_walks::random_steps_of_two_handles_exceed_no_limit_and_leave_nobody_stuck",
        ),
    },
    Mistake {
        name: "Postgres: a new limit leaves no slip",
        file: LIMITS,
        right: "self.leave_slips(connection, queue).await?",
        wrong: "()",
        caught_by: case("partition_limits::a_raised_limit_holds_at_once"),
    },
    Mistake {
        name: "Postgres: the time of a delayed job is lost with its slip",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("FROM looks WHERE look_at > now", "FROM looks WHERE false"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: case("passed_over::a_delayed_job_of_a_partition_is_promised_for_its_time"),
    },
    Mistake {
        name: "Postgres: a job that a transaction holds hides those behind it",
        file: FILE,
        right: TABLES,
        wrong: r#"fill(&text.replace("l.priority > k.held", "k.held = -32769"), &|place| (place == "schema").then_some(Filling::Text(&quoted)))"#,
        caught_by: own("partitions::jobs_behind_one_that_a_transaction_holds_are_given"),
    },
    Mistake {
        name: "Postgres: a claim whose leases were over at once finds nothing",
        file: IN_TURN,
        right: "!claimed.jobs.is_empty()",
        wrong: "true",
        caught_by: own("partitions::a_claim_whose_lease_was_over_before_it_read_the_job_takes_another"),
    },
    Mistake {
        name: "Postgres: claims that share a statement get the limited jobs that one of them may have",
        file: IN_TURN,
        right: "request.limited_max >= request.limit",
        wrong: "request.limited_max <= usize::MAX",
        caught_by: case("slots::claims_sent_together_take_each_slot_once"),
    },
    Mistake {
        name: "Postgres: claims share a statement, and the shortest of their leases",
        file: "crates/queue-postgres/src/statements/mod.rs",
        right: "if self.shares { LEASE_LENGTHS } else { LEASE_LENGTH }",
        wrong: "if self.shares && LEASE_LENGTHS.is_empty() { LEASE_LENGTHS } else { LEASE_LENGTH }",
        caught_by: case("together::each_of_claims_sent_together_has_its_own_worker_and_lease"),
    },
    Mistake {
        name: "Postgres: a claim that comes too late gets jobs beside one that does not",
        file: REQUESTS,
        right: "[Some(most), Some(lease), Some(bytes), until(request)]",
        wrong: "[Some(most), Some(lease), Some(bytes), None]",
        caught_by: case("together::claims_that_come_too_late_leave_their_jobs_to_those_beside_them"),
    },
    Mistake {
        name: "Postgres: a claim beside others has more room than it said",
        file: REQUESTS,
        right: "[Some(most), Some(lease), Some(bytes), until(request)]",
        wrong: "[Some(most), Some(lease), Some(bytes * 1_000), until(request)]",
        caught_by: case("together::claims_sent_together_keep_the_bytes_that_each_has_room_for"),
    },
    Mistake {
        name: "Postgres: each claim is a statement of its own",
        file: "crates/queue-postgres/src/batched.rs",
        right: "        CLAIMS_BESIDE",
        wrong: "64",
        caught_by: own("merged_claims::claims_that_come_meanwhile_share_a_statement"),
    },
];
