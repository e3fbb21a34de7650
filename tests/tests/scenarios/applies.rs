//! The scenarios that do not hold for this client.

const PROTOCOL: &str = "is about problems and tokens of `/v1`; a remote store has the scope `store` and errors of its own, which queue-remote tests";

const BATCHES: &str =
    "is about the calls of `/v1` for batches; the cases of batches of queue-jobs run over a remote store";

const LOOKS: &str = "is about calls of `/v1` that count, list, limit, pause and redrive; queue-testkit tests these over a remote store";

/// Name by name, and what the scenario does.
pub(crate) const NOT_HERE: &[(&str, &str)] = &[
    ("A problem of the request is told and not sent again", PROTOCOL),
    ("A token that is unknown is told at once", PROTOCOL),
    ("A token without the scope is told at once", PROTOCOL),
    ("A schedule takes the scopes operate and produce", PROTOCOL),
    (
        "A batch is opened once, filled from outside and from inside, and its callback gets the counts",
        BATCHES,
    ),
    ("A batch that is cancelled ends after its members, and its callback says so", BATCHES),
    ("What a batch does not take is refused, and a lost answer adds nothing twice", BATCHES),
    (
        "A handler returns the numbers and texts that it read, and none has changed",
        "is about the values of a dynamic language; a payload of this library has a type",
    ),
    ("Failed and cancelled jobs are run again with fresh budgets", LOOKS),
    (
        "A task is a job whose payload has the arguments by name, which every language can work on",
        "is about functions of a dynamic language; a kind of this library has a type for its payload",
    ),
    ("A queue is counted and listed page by page", LOOKS),
    ("A queue and a kind are paused each by itself", LOOKS),
    ("Limits are set by what they hold for, and partitions are listed page by page", LOOKS),
    ("Limits are set by an operator alone", LOOKS),
    (
        "Text that is no Unicode and numbers that are none are refused before anything is sent",
        "is about text and numbers that no `String` and no JSON value of Rust can hold",
    ),
    (
        "Reserved queues are refused",
        "wants what `/v1` refuses; whoever has the store itself may use the queues of the library",
    ),
    (
        "A settle that a server with another key refuses fails no job, which runs again",
        "is about receipts; a remote store settles by the token of the lease, which every server takes",
    ),
    (
        "A worker whose claim got no answer asks for it again and loses no time",
        "asks for a lost claim again; a worker of the library gives its jobs back, uncharged, and claims anew",
    ),
    (
        "A call with a problem that passes is sent again",
        "has an answer 409 among its faults, which no server of a store gives",
    ),
    (
        "An extension that fails is tried again before the lease lapses",
        "lets four extensions of one lease fail; a worker of the library sends three, of which two may fail",
    ),
    (
        "An extension that something else answers is tried again before the lease lapses",
        "has faults for extensions alone; a remote store applies extensions and cancels by one verb, so that they may meet the cancel, as they did in 3 of 13",
    ),
];

/// Whether a scenario has this name, also for one item of a list.
pub(crate) fn is_about(scenario: &str, name: &str) -> bool {
    scenario.strip_prefix(name).is_some_and(|item| item.is_empty() || item.starts_with(": "))
}

pub(crate) fn not_here(name: &str) -> Option<&'static str> {
    NOT_HERE.iter().find(|(one, _)| is_about(name, one)).map(|(_, why)| *why)
}
