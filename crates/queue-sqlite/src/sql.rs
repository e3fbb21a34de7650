//! The statements, one per file under `sql/`, each with a header that says what it takes, gives and
//! keeps.

/// Declares one constant per file, and the list of all of them for tests of their query plans.
/// Those that read whole jobs begin with the columns of one, and their files with what comes behind
/// these.
macro_rules! statements {
    (others: { $($name:ident = $file:literal;)* } of_jobs: { $($read:ident = $of:literal;)* }) => {
        $(pub(crate) const $name: &str = include_str!(concat!("../sql/", $file, ".sql"));)*
        $(pub(crate) const $read: &str =
            concat!(include_str!("../sql/part/job.sql"), include_str!(concat!("../sql/", $of, ".sql")));)*

        /// Every statement with the name of its file.
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, &str)] = &[$(($file, $name),)* $(($of, $read)),*];
    };
}

statements! {
    others: {
        ADD_COUNT = "add_count";
        ADD_QUEUE = "add_queue";
        ASIDE_FRONT = "aside_front";
        ASIDE_JOBS = "aside_jobs";
        AMEND_JOB = "amend_job";
        BEGIN = "begin";
        COMMIT = "commit";
        COUNT_PARTITION = "count_partition";
        COUNT_TIMED_OUT = "count_timed_out";
        COUNT_DUE_SCHEDULED = "count_due_scheduled";
        DELETE_ASIDE = "delete_aside";
        DELETE_ATTEMPTS = "delete_attempts";
        DELETE_CLAIMED = "delete_claimed";
        DELETE_END_SIGNALS = "delete_end_signals";
        DELETE_FAILURE = "delete_failure";
        DELETE_GATE = "delete_gate";
        DELETE_GATED = "delete_gated";
        DELETE_JOB = "delete_job";
        DELETE_LIFE = "delete_life";
        DELETE_LIMIT = "delete_limit";
        DELETE_PARTITION = "delete_partition";
        DELETE_PARTITION_READY = "delete_partition_ready";
        DELETE_PROMOTED = "delete_promoted";
        DELETE_READY = "delete_ready";
        DELETE_SCHEDULED = "delete_scheduled";
        DELETE_SERIES = "delete_series";
        DELETE_TAG = "delete_tag";
        DELETE_TIMED_OUT = "delete_timed_out";
        DELETE_TURN = "delete_turn";
        DELETE_WORKER = "delete_worker";
        DUE_GATED = "due_gated";
        DUE_SCHEDULED = "due_scheduled";
        EXPIRE_SERIES = "expire_series";
        EXPIRE_WORKERS = "expire_workers";
        FIND_QUEUE = "find_queue";
        FIRST_ASIDE = "first_aside";
        FIRST_GATED = "first_gated";
        FIRST_LAPSE = "first_lapse";
        FIRST_OF_PARTITION = "first_of_partition";
        FIRST_PARTITION_DUE = "first_partition_due";
        FIRST_READY = "first_ready";
        FIRST_SCHEDULED = "first_scheduled";
        FORGET_KINDS = "forget_kinds";
        FRONTS = "fronts";
        INSERT_ASIDE = "insert_aside";
        INSERT_ATTEMPT = "insert_attempt";
        INSERT_END_SIGNAL = "insert_end_signal";
        INSERT_FAILURE = "insert_failure";
        INSERT_GATED = "insert_gated";
        INSERT_JOB = "insert_job";
        INSERT_JOBS = "insert_jobs";
        INSERT_LEASE = "insert_lease";
        INSERT_LIFE = "insert_life";
        INSERT_PARTITION_READY = "insert_partition_ready";
        INSERT_READY = "insert_ready";
        INSERT_READY_JOBS = "insert_ready_jobs";
        INSERT_SCHEDULED = "insert_scheduled";
        INSERT_TAG = "insert_tag";
        LIMIT_OF = "limit_of";
        LIST_QUEUES = "list_queues";
        LIST_SERIES = "list_series";
        LIST_WORKERS = "list_workers";
        LOAD_ATTEMPTS = "load_attempts";
        LOAD_COUNTS = "load_counts";
        LOAD_END_SIGNALS = "load_end_signals";
        LOAD_GATE = "load_gate";
        LOAD_KINDS = "load_kinds";
        LOAD_LIMITS = "load_limits";
        LOAD_OUTCOME = "load_outcome";
        LOAD_PARTITION = "load_partition";
        LOAD_PAUSED = "load_paused";
        LOAD_PAYLOAD = "load_payload";
        LOAD_STORE = "load_store";
        LOAD_TURN = "load_turn";
        LOWEST_TURN = "lowest_turn";
        MARK_GATE = "mark_gate";
        OPENED_PRIORITY = "opened_priority";
        PAGE_OF_PARTITIONS = "page_of_partitions";
        PLACE_OPENED = "place_opened";
        PROMOTE_DUE = "promote_due";
        PROMOTE_TIMED_OUT = "promote_timed_out";
        QUEUE_NAME = "queue_name";
        READY_KINDS = "ready_kinds";
        REFRESH_PARTITIONS = "refresh_partitions";
        ROLLBACK = "rollback";
        SAVE_CONTENT_TYPE = "save_content_type";
        SAVE_DETAILS = "save_details";
        SAVE_GATE = "save_gate";
        SAVE_HAS_GATED = "save_has_gated";
        SAVE_HAS_KINDS = "save_has_kinds";
        SAVE_HAS_PARTITIONS = "save_has_partitions";
        SAVE_KIND = "save_kind";
        SAVE_LIMIT = "save_limit";
        SAVE_PARTITION = "save_partition";
        SAVE_PAYLOAD = "save_payload";
        SAVE_LIFE = "save_life";
        SAVE_SERIES = "save_series";
        SAVE_STORE = "save_store";
        SAVE_TURN = "save_turn";
        SAVE_WORKER = "save_worker";
        SET_DUTY = "set_duty";
        SET_PAUSED = "set_paused";
        TAKE_BACK_JOBS = "take_back_jobs";
        TRIM_ATTEMPTS = "trim_attempts";
    }
    of_jobs: {
        JOB_BY_ID = "job_by_id";
        JOB_BY_KEY = "job_by_key";
        LIST_ASIDE = "list_aside";
        LIST_CAME_DUE = "list_came_due";
        LIST_FAILURES = "list_failures";
        LIST_FAILURES_BACK = "list_failures_back";
        LIST_GATED = "list_gated";
        LIST_HELD = "list_held";
        LIST_JOBS = "list_jobs";
        LIST_JOBS_BACK = "list_jobs_back";
        LIST_LAPSED = "list_lapsed";
        LIST_LEASED = "list_leased";
        LIST_PARTITION_DUE = "list_partition_due";
        LIST_READY = "list_ready";
        LIST_SCHEDULED = "list_scheduled";
        LIST_TAGGED = "list_tagged";
        LIST_TAGGED_BACK = "list_tagged_back";
        LIST_TIMED_OUT = "list_timed_out";
        PARTITION_JOB = "partition_job";
        PRUNE_EVERYTHING = "prune_everything";
        PRUNE_EXPIRED = "prune_expired";
        PRUNE_FINISHED = "prune_finished";
        READY_JOBS = "ready_jobs";
    }
}

/// What `verify` asks: each answers one line of text per finding.
pub(crate) const VERIFY: &[&str] = &[
    include_str!("../sql/verify/aside.sql"),
    include_str!("../sql/verify/attempts.sql"),
    include_str!("../sql/verify/counters.sql"),
    include_str!("../sql/verify/due.sql"),
    include_str!("../sql/verify/end_signals.sql"),
    include_str!("../sql/verify/failures.sql"),
    include_str!("../sql/verify/gates.sql"),
    include_str!("../sql/verify/integrity.sql"),
    include_str!("../sql/verify/lives.sql"),
    include_str!("../sql/verify/orphan_entries.sql"),
    include_str!("../sql/verify/orphan_lives.sql"),
    include_str!("../sql/verify/partition_fronts.sql"),
    include_str!("../sql/verify/partitions.sql"),
    include_str!("../sql/verify/queues.sql"),
    include_str!("../sql/verify/results.sql"),
    include_str!("../sql/verify/seq_mark.sql"),
    include_str!("../sql/verify/tags.sql"),
    include_str!("../sql/verify/waiting.sql"),
];
