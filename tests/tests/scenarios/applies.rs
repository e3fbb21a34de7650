//! The scenarios that do not hold for this client.

const RESENDS: &str = "sends a call again; this library tells its caller that the outcome is unknown, and what a worker sends again is its own business";
const PROTOCOL: &str = "is about problems and tokens of `/v1`; a remote store has the scope `store` and errors of its own, which queue-remote tests";

const NOT_CARRIED: &str = "has options, details or answers that this runner does not carry over yet";

/// Name by name, and what the scenario does.
pub(crate) const NOT_HERE: &[(&str, &str)] = &[
    (
        "The client draws an id where none is given",
        "looks into bodies for ids of 32 digits; this library draws ids in the order of time",
    ),
    ("An enqueue whose answer is lost is sent again and stores one job", RESENDS),
    ("A call with a problem that passes is sent again", RESENDS),
    ("An enqueue waits for a server that is down", RESENDS),
    ("A problem of the request is told and not sent again", PROTOCOL),
    ("A token that is unknown is told at once", PROTOCOL),
    ("A token without the scope is told at once", PROTOCOL),
    ("A schedule takes the scopes operate and produce", PROTOCOL),
    (
        "Reserved queues are refused",
        "wants what `/v1` refuses; whoever has the store itself may use the queues of the library",
    ),
    ("A schedule is made once, shown, run now, paused and removed", NOT_CARRIED),
    ("A wait ends with the result", NOT_CARRIED),
    ("A wait tells why a job failed", NOT_CARRIED),
    ("A wait for a life whose id was taken by a newer job says so", NOT_CARRIED),
    ("A wait for a job whose record was not kept says so", NOT_CARRIED),
    ("Jobs start by priority", NOT_CARRIED),
    (
        "A worker whose claim got no answer asks for it again and loses no time",
        "asks for a lost claim again; a worker of the library gives its jobs back, uncharged, and claims anew",
    ),
    (
        "An extension that fails is tried again before the lease lapses",
        "counts on a lease that this runner's faults, which meet every write of the store, do not leave",
    ),
];

pub(crate) fn not_here(name: &str) -> Option<&'static str> {
    NOT_HERE.iter().find(|(one, _)| *one == name).map(|(_, why)| *why)
}
