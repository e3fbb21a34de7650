//! Mistakes about partitions in the scripts of the store on Redis.
//!
//! A script cannot ask the environment, so what is planted is how its text is put together.

use super::mistake::{Mistake, Test};

const FILE: &str = "crates/queue-redis/src/script.rs";
/// The text of a part of a script, and that of a script before its parts are in it.
const PART: &str = "with_parts(part(name))";
const VERB: &str = "with_parts(verb)";

/// A case of the suite on Redis.
const fn case(name: &'static str) -> Test {
    Test { package: "queue-redis", target: "conformance", name }
}

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "Redis: a settle frees no slot",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("if step.has_partition then", "if false then"))"#,
        caught_by: case("slots::each_settle_frees_one_slot"),
    },
    Mistake {
        name: "Redis: a job that is removed keeps its slot",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("(not job or byte(job) ~= byte(was))", "job and byte(job) ~= byte(was)"))"#,
        caught_by: case("slots::a_removed_job_frees_its_slot"),
    },
    Mistake {
        name: "Redis: a partition gets one job more than its limit",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("lane.leases >= limit.running", "lane.leases > limit.running"))"#,
        caught_by: case("slots::no_more_jobs_of_a_partition_are_leased_than_its_limit"),
    },
    Mistake {
        name: "Redis: a claim takes all the slots that its limit allows",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("claim.limited = claim.limited - 1", "claim.limited = claim.limited"))"#,
        caught_by: case("passed_over::a_claim_gets_no_more_limited_jobs_than_it_asks_for"),
    },
    Mistake {
        name: "Redis: a claim moves no turn on",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("= lane.turn, after_job(lane.turn, limit_of(lane))", "= lane.turn, lane.turn"))"#,
        caught_by: case("turns::partitions_take_turns"),
    },
    Mistake {
        name: "Redis: a partition keeps its place though its next job has another priority",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("if not lane.front or lane.priority ~= priority then", "if not lane.front then"))"#,
        caught_by: case("turns::a_more_urgent_job_moves_its_partition"),
    },
    Mistake {
        name: "Redis: a job that came due is in no partition",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("if #member == PLACE_AND_SEQ then", "if true then"))"#,
        caught_by: case("passed_over::a_delayed_job_takes_its_turn_once_it_is_due"),
    },
    Mistake {
        name: "Redis: what was set aside forgets its partition",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("LINE_END .. place .. lane.key", "LINE_END .. place"))"#,
        caught_by: case("passed_over::a_resumed_kind_comes_back_to_its_partitions"),
    },
    Mistake {
        name: "Redis: the end of a lease wakes nobody for the job that it blocked",
        file: FILE,
        right: PART,
        wrong: r#"with_parts(&part(name).replace("change.leases < 0 then is_woken = true", "change.leases < 0 then is_woken = is_woken"))"#,
        caught_by: Test {
            package: "queue-redis",
            target: "it",
            name: "partitions::commands::the_end_of_a_lease_gives_a_hint_if_it_opens_a_full_partition_and_only_then",
        },
    },
    Mistake {
        name: "Redis: a raised limit of each partition opens none that is full",
        file: FILE,
        right: VERB,
        wrong: r#"with_parts(&verb.replace("if is_each_new then rules[3] = '' end", ""))"#,
        caught_by: case("partition_limits::a_raised_limit_holds_at_once"),
    },
];
