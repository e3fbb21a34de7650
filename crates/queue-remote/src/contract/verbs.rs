//! The verbs: a type for each, with the types of its request and its answer.

use super::Verb;
use crate::wire::{Opened, Topic, hash, mix};
use queue_core::{
    Applied, ClaimRequest, Claimed, Counts, Detail, Duty, Enqueued, Finding, Hint, ImportRequest, Imported,
    JobAttempts, JobId, JobRecord, Kind, Limit, LimitScope, ListQuery, NewJob, Page, PartitionPage,
    PartitionQuery, Pause, PruneRequest, QueueName, QueuesPage, QueuesQuery, SeriesEntry, SeriesPage,
    SeriesQuery, Stamped, WorkerId, WorkerInfo, lifecycle::Transition,
};
use std::time::Duration;

macro_rules! verbs {
    ($($(#[$doc:meta])* $verb:ident = $name:literal: $request:ty => $answer:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub(crate) enum $verb {}

            impl Verb for $verb {
                const NAME: &'static str = $name;
                type Request = $request;
                type Answer = $answer;
            }
        )*

        /// The forms of all of them, in this order.
        pub(super) const ALL: u64 = {
            let form = hash(0, "verbs");
            $(let form = mix(form, <$verb as Verb>::SCHEMA);)*
            form
        };

        /// Reads bytes as each request and each answer there is, and says whether they are one.
        #[cfg(test)]
        pub(crate) const ALL_READERS: &[fn(bytes::Bytes) -> bool] = &[
            $(
                |bytes| crate::wire::decode::<<$verb as Verb>::Request>(bytes).is_ok(),
                |bytes| crate::wire::decode::<<$verb as Verb>::Answer>(bytes).is_ok(),
            )*
            |bytes| crate::wire::decode::<crate::wire::ErrorReport>(bytes).is_ok(),
        ];
    };
}

verbs! {
    /// Asks what the store is; every handle begins with it.
    Open = "open": () => Opened;
    Enqueue = "enqueue": (QueueName, Vec<Vec<NewJob>>) => Stamped<Vec<Vec<Enqueued>>>;
    Claim = "claim": ClaimRequest => Claimed;
    Apply = "apply": Vec<Transition> => Stamped<Vec<Applied>>;
    Get = "get": ((QueueName, Vec<JobId>), Detail) => Stamped<Vec<Option<JobRecord>>>;
    List = "list": ListQuery => Page;
    Attempts = "attempts": (QueueName, Vec<JobId>) => Stamped<Vec<Option<JobAttempts>>>;
    Count = "counts": QueueName => Counts;
    ListQueues = "queues": QueuesQuery => QueuesPage;
    Remove = "prune": PruneRequest => u64;
    Import = "import": ImportRequest => Stamped<Vec<Imported>>;
    SetPaused = "set_paused": ((QueueName, Option<Kind>), Pause) => ();
    SetLimits = "set_limits": (QueueName, Vec<(LimitScope, Option<Limit>)>) => ();
    ListLimits = "limits": QueueName => Vec<(LimitScope, Limit)>;
    ListPartitions = "partitions": PartitionQuery => PartitionPage;
    Announce = "announce": (WorkerInfo, Duration) => Duty;
    SetDuty = "set_duty": (WorkerId, Duty) => Option<Duty>;
    ListWorkers = "workers": () => Vec<WorkerInfo>;
    WriteSeries = "write_series": (SeriesEntry, Duration) => ();
    ReadSeries = "read_series": SeriesQuery => Stamped<SeriesPage>;
    Verify = "verify": () => Vec<String>;
    Diagnose = "diagnose": () => Vec<Finding>;
    /// The one verb whose answer has no end: a hint after the other, each behind its length.
    Listen = "listen": (QueueName, Topic) => Hint;
}
