//! Mistakes about partitions: in the slots and turns of the engine in memory, whose rules other
//! stores mirror, in the files that keep them, and in how much a worker asks for.

use super::mistake::{Mistake, Test};

const LIMIT: &str = "crates/queue-core/src/storage/partitions.rs";
const IN_FORCE: &str = "crates/queue-core/src/storage/limit_in_force.rs";
const TURN: &str = "crates/queue-core/src/lifecycle/turn.rs";
const PLACE: &str = "crates/queue-core/src/lifecycle/turn_place.rs";
const PARTITIONS: &str = "crates/queue-memory/src/engine/partitions/mod.rs";
const LIMITS: &str = "crates/queue-memory/src/engine/limits.rs";
const CLAIM: &str = "crates/queue-memory/src/engine/claim.rs";
const NEXT: &str = "crates/queue-memory/src/engine/next_job.rs";
const STATE: &str = "crates/queue-memory/src/engine/queue_state.rs";
const OPTIONS: &str = "crates/queue-fs/src/format/options.rs";
const FETCHER: &str = "crates/queue-worker/src/worker/claim/fetcher.rs";

/// A case of the suite on the store in memory.
const fn case(name: &'static str) -> Test {
    Test { package: "queue-memory", target: "conformance", name }
}

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "a full partition is as good as one with a slot",
        file: PLACE,
        right: "limit.has_room(leases)",
        wrong: "limit.has_room(0)",
        caught_by: case("slots::no_more_jobs_of_a_partition_are_leased_than_its_limit"),
    },
    Mistake {
        name: "a partition gets one job more than its limit",
        file: LIMIT,
        right: "leases < u64::from(running)",
        wrong: "leases <= u64::from(running)",
        caught_by: case("slots::each_settle_frees_one_slot"),
    },
    Mistake {
        name: "the end of a lease frees no slot",
        file: PARTITIONS,
        right: "lane.leases.saturating_sub(u64::from(job.is_leased))",
        wrong: "lane.leases",
        caught_by: case("slots::a_lapsed_lease_holds_its_slot_until_it_is_rescued"),
    },
    Mistake {
        name: "the limit of each partition counts before its own",
        file: IN_FORCE,
        right: "read(&LimitScope::Partition(partition.clone()))?",
        wrong: "read(&LimitScope::EachPartition)?.or(read(&LimitScope::Partition(partition.clone()))?)",
        caught_by: case("partition_limits::its_own_limit_counts_before_that_of_each"),
    },
    Mistake {
        name: "a raised limit of each partition opens none that is full",
        file: LIMITS,
        right: "changes.iter().any(|(scope, _)| *scope == LimitScope::EachPartition)",
        wrong: "false",
        caught_by: case("partition_limits::a_raised_limit_holds_at_once"),
    },
    Mistake {
        name: "a limit that cannot be is set",
        file: LIMITS,
        right: "limit.map_or(Ok(()), |limit| limit.check(scope))",
        wrong: "queue_core::Result::Ok(())",
        caught_by: case("partition_limits::limits_that_cannot_be_are_refused"),
    },
    Mistake {
        name: "a claim moves no turn on",
        file: PARTITIONS,
        right: "place.after_job(&self.limits.of(partition).limit)",
        wrong: "place",
        caught_by: case("turns::partitions_take_turns"),
    },
    Mistake {
        name: "every partition has the same weight",
        file: TURN,
        right: "u64::from(limit.weight.max(1))",
        wrong: "1",
        caught_by: case("turns::a_partition_gets_jobs_by_its_weight"),
    },
    Mistake {
        name: "a rest saves turns up",
        file: TURN,
        right: "present.0.clamp(lowest.0.saturating_sub(UNIT), lowest.0)",
        wrong: "0",
        caught_by: case("turns::a_rest_saves_nothing_up"),
    },
    Mistake {
        name: "a partition that comes back has the next turn each time",
        file: TURN,
        right: "Self(from).after_job(limit)",
        wrong: "Self(from)",
        caught_by: case("turns::jobs_that_come_one_at_a_time_pass_nobody"),
    },
    Mistake {
        name: "a partition keeps its place though its next job has another priority",
        file: PARTITIONS,
        right: "former.map(|place| place.opening) == opening",
        wrong: "former.is_some() == opening.is_some()",
        caught_by: case("turns::a_more_urgent_job_moves_its_partition"),
    },
    Mistake {
        name: "a claim takes all the slots that its limit allows",
        file: CLAIM,
        right: "request.limited_max",
        wrong: "usize::MAX",
        caught_by: case("passed_over::a_claim_of_no_limited_jobs_gets_others"),
    },
    Mistake {
        name: "a claim does not say that it kept jobs back",
        file: CLAIM,
        right: "jobs.len() < limit && limited_room == 0 && state.has_limited()",
        wrong: "false",
        caught_by: case("passed_over::a_claim_gets_no_more_limited_jobs_than_it_asks_for"),
    },
    Mistake {
        name: "a full partition promises its job for now",
        file: PARTITIONS,
        right: "self.fronts.iter().find_map(|front| front.partition.as_ref())?",
        wrong: "self.by_key.keys().next()?",
        caught_by: case("passed_over::a_full_partition_promises_no_job"),
    },
    Mistake {
        name: "a job of a paused kind is claimed in the turn of its partition",
        file: NEXT,
        right: "self.pauses.stops(&entry.traits.kind, now)",
        wrong: "false",
        caught_by: case("passed_over::a_job_of_a_paused_kind_takes_no_slot"),
    },
    Mistake {
        name: "what was set aside does not come back to its partition",
        file: NEXT,
        right: "partitions.aside.keys().filter(resumed).cloned().collect()",
        wrong: "Vec::new()",
        caught_by: case("passed_over::a_resumed_kind_comes_back_to_its_partitions"),
    },
    Mistake {
        name: "the end of a lease wakes nobody for the job that it blocked",
        file: STATE,
        right: "has_opened && before.is_leased()",
        wrong: "false",
        caught_by: Test {
            package: "queue-worker",
            target: "worker",
            name: "slots::a_worker_that_rests_goes_on_as_another_frees_the_slot",
        },
    },
    Mistake {
        name: "a journal forgets the partitions of jobs",
        file: OPTIONS,
        right: "if has(option::PARTITION) { Some(from.name()?) } else { None }",
        wrong: "{ let _skipped: Option<&str> = if has(option::PARTITION) { Some(from.name_text()?) } else { None }; None }",
        caught_by: Test {
            package: "queue-fs",
            target: "conformance",
            name: "kept_partitions::partitions_outlast_a_reopening",
        },
    },
    Mistake {
        name: "a worker holds slots for jobs that no handler has begun",
        file: FETCHER,
        right: "self.queues[queue_index].free_handlers",
        wrong: "usize::MAX",
        caught_by: Test {
            package: "queue-worker",
            target: "worker",
            name: "slots::a_worker_holds_no_more_limited_jobs_than_it_has_handlers_for",
        },
    },
];
