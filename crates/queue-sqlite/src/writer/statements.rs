//! The prepared statements of the writer.

use super::lazy_statement::LazyStatement;
use crate::sql;
use rusqlite::Connection;

/// Declares the writer's statements.
macro_rules! statements {
    (of_all: { $($name:ident = $sql:ident;)* } of_some: { $($rare:ident = $of:ident;)* }) => {
        /// The writer's statements.
        pub(super) struct Statements<'c> {
            $(pub(super) $name: LazyStatement<'c>,)*
            $(pub(super) $rare: LazyStatement<'c>,)*
        }

        impl<'c> Statements<'c> {
            /// Each is prepared when it is first used.
            pub(super) fn new(connection: &'c Connection) -> Self {
                Self {
                    $($name: LazyStatement::new(connection, sql::$sql),)*
                    $($rare: LazyStatement::new(connection, sql::$of),)*
                }
            }

            /// Each is prepared once, for the life of the thread. Statements of gates, partitions
            /// and rows together wait for their first use, since many programs never run them.
            pub(super) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
                let mut statements = Self::new(connection);
                $(statements.$name.get()?;)*
                Ok(statements)
            }

            /// How often each ran since the last look, and how many steps SQLite took, by name.
            #[cfg(test)]
            pub(super) fn take_costs(&mut self) -> std::collections::BTreeMap<&'static str, (i32, i32)> {
                let named = [
                    $((stringify!($name), &mut self.$name),)*
                    $((stringify!($rare), &mut self.$rare),)*
                ];
                let costs = named.into_iter().map(|(name, statement)| (name, statement.take_cost()));
                costs.filter(|(_, (runs, _))| *runs > 0).collect()
            }
        }
    };
}

statements! {
    of_all: {
        add_count = ADD_COUNT;
        add_queue = ADD_QUEUE;
        amend_job = AMEND_JOB;
        begin = BEGIN;
        commit = COMMIT;
        delete_attempts = DELETE_ATTEMPTS;
        delete_claimed = DELETE_CLAIMED;
        delete_failure = DELETE_FAILURE;
        delete_job = DELETE_JOB;
        delete_life = DELETE_LIFE;
        delete_promoted = DELETE_PROMOTED;
        delete_ready = DELETE_READY;
        delete_scheduled = DELETE_SCHEDULED;
        delete_series = DELETE_SERIES;
        delete_tag = DELETE_TAG;
        delete_worker = DELETE_WORKER;
        set_duty = SET_DUTY;
        expire_series = EXPIRE_SERIES;
        expire_workers = EXPIRE_WORKERS;
        find_queue = FIND_QUEUE;
        first_lapse = FIRST_LAPSE;
        first_ready = FIRST_READY;
        first_scheduled = FIRST_SCHEDULED;
        insert_attempt = INSERT_ATTEMPT;
        insert_failure = INSERT_FAILURE;
        insert_job = INSERT_JOB;
        insert_lease = INSERT_LEASE;
        insert_life = INSERT_LIFE;
        insert_ready = INSERT_READY;
        insert_scheduled = INSERT_SCHEDULED;
        insert_tag = INSERT_TAG;
        job_by_id = JOB_BY_ID;
        job_by_key = JOB_BY_KEY;
        load_outcome = LOAD_OUTCOME;
        load_paused = LOAD_PAUSED;
        load_store = LOAD_STORE;
        promote_due = PROMOTE_DUE;
        prune_everything = PRUNE_EVERYTHING;
        prune_expired = PRUNE_EXPIRED;
        prune_finished = PRUNE_FINISHED;
        ready_jobs = READY_JOBS;
        rollback = ROLLBACK;
        save_content_type = SAVE_CONTENT_TYPE;
        save_details = SAVE_DETAILS;
        save_payload = SAVE_PAYLOAD;
        save_life = SAVE_LIFE;
        save_series = SAVE_SERIES;
        save_store = SAVE_STORE;
        save_worker = SAVE_WORKER;
        set_paused = SET_PAUSED;
        trim_attempts = TRIM_ATTEMPTS;
    }
    of_some: {
        aside_jobs = ASIDE_JOBS;
        count_partition = COUNT_PARTITION;
        delete_end_signals = DELETE_END_SIGNALS;
        delete_gate = DELETE_GATE;
        delete_gated = DELETE_GATED;
        delete_partition = DELETE_PARTITION;
        delete_partition_ready = DELETE_PARTITION_READY;
        delete_timed_out = DELETE_TIMED_OUT;
        delete_turn = DELETE_TURN;
        due_gated = DUE_GATED;
        due_scheduled = DUE_SCHEDULED;
        first_gated = FIRST_GATED;
        first_of_partition = FIRST_OF_PARTITION;
        fronts = FRONTS;
        insert_end_signal = INSERT_END_SIGNAL;
        insert_gated = INSERT_GATED;
        insert_jobs = INSERT_JOBS;
        insert_partition_ready = INSERT_PARTITION_READY;
        insert_ready_jobs = INSERT_READY_JOBS;
        limit_of = LIMIT_OF;
        load_end_signals = LOAD_END_SIGNALS;
        load_gate = LOAD_GATE;
        load_partition = LOAD_PARTITION;
        load_turn = LOAD_TURN;
        lowest_turn = LOWEST_TURN;
        mark_gate = MARK_GATE;
        partition_job = PARTITION_JOB;
        promote_timed_out = PROMOTE_TIMED_OUT;
        save_gate = SAVE_GATE;
        save_has_gated = SAVE_HAS_GATED;
        save_has_partitions = SAVE_HAS_PARTITIONS;
        save_partition = SAVE_PARTITION;
        save_turn = SAVE_TURN;
        take_back_jobs = TAKE_BACK_JOBS;
    }
}
