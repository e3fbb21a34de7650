//! What the server and its driver say, in terms of what the caller should do.

use crate::{endpoint::Endpoint, rights, tls};
use queue_core::{Error, ErrorKind};
use redis::{ErrorKind as RedisKind, RedisError, ServerErrorKind};

/// Our own code for an answer of `WAIT`, beside the codes of servers.
pub(crate) const TOO_FEW_REPLICAS: &str = "TOOFEWREPLICAS";

/// For a server that cannot be spoken to at all.
const OLD_SERVER: &str = "this server, or a proxy before it, does not speak RESP3 (`HELLO 3`): Redis 7.0 or Valkey 8 is needed, \
                          or one that is compatible with them";

/// How far a call had come when it failed, which decides whether its effect may have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The call was not sent yet.
    Connecting,
    /// The request may have reached the server.
    Sent,
}

/// What the driver's error means to a caller.
pub(crate) fn explain(operation: &'static str, phase: Phase, error: RedisError) -> Error {
    let verdict = verdict(&error);
    let explained = Error::new(verdict.kind, operation, verdict.message(&error));
    let is_unknown = phase == Phase::Sent && !verdict.is_refusal;
    let explained = if is_unknown { explained.unknown() } else { explained };
    explained.with_source(error)
}

/// Why there is no connection, so that nothing was sent.
pub(crate) fn unreachable(operation: &'static str, endpoint: &Endpoint, error: RedisError) -> Error {
    let (kind, message) = match (tls::verdict(&error), verdict(&error)) {
        (Some(advice), _) => (ErrorKind::Invalid, format!("{endpoint}: {advice}")),
        _ if error.is_io_error() => (ErrorKind::Unavailable, no_answer(endpoint, &error)),
        (None, verdict) => (verdict.kind, verdict.message(&error)),
    };
    // What a handle was opened with was right then, so it is the server that changed, and may
    // change back.
    let is_mended_elsewhere = kind == ErrorKind::Invalid && operation != "open";
    let kind = if is_mended_elsewhere { ErrorKind::Unavailable } else { kind };
    Error::new(kind, operation, message).with_source(error)
}

fn no_answer(endpoint: &Endpoint, error: &RedisError) -> String {
    let is_odd = (error.is_connection_dropped() && !error.is_connection_refusal()) || error.is_timeout();
    let of_tls = if endpoint.is_encrypted() && is_odd {
        format!(
            "; it may want a client certificate (`{}`, `{}`), or speak no TLS on that port",
            tls::CERTIFICATE,
            tls::KEY
        )
    } else {
        String::new()
    };
    format!(
        "no server can be reached at {endpoint} ({error}); is it running, and is that its address?{of_tls}"
    )
}

/// A refusal of a Cluster, or of a server that starts: nothing happened, and soon it may be
/// different.
pub(crate) fn passes_soon(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        RedisKind::Server(
            ServerErrorKind::TryAgain
                | ServerErrorKind::Moved
                | ServerErrorKind::Ask
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
        ) | RedisKind::ClusterConnectionNotFound
    )
}

struct ErrorAdvice {
    kind: ErrorKind,
    /// The server answered before it ran anything.
    is_refusal: bool,
    advice: &'static str,
}

impl ErrorAdvice {
    /// The advice, with the error's own words where they name what is to be repaired.
    fn message(&self, error: &RedisError) -> String {
        if self.kind == ErrorKind::Invalid {
            format!("{} ({error})", self.advice)
        } else {
            self.advice.to_owned()
        }
    }
}

const fn refused(kind: ErrorKind, advice: &'static str) -> ErrorAdvice {
    ErrorAdvice { kind, is_refusal: true, advice }
}

const fn unsure(kind: ErrorKind, advice: &'static str) -> ErrorAdvice {
    ErrorAdvice { kind, is_refusal: false, advice }
}

fn verdict(error: &RedisError) -> ErrorAdvice {
    use ErrorKind::{Corrupt, Internal, Invalid, Unavailable, Unsupported};
    match error.kind() {
        _ if lacks_resp3(error) => refused(Unsupported, OLD_SERVER),
        RedisKind::Server(kind) => server_verdict(kind, error),
        RedisKind::AuthenticationFailed => refused(Invalid, "the user or password is wrong"),
        RedisKind::InvalidClientConfig => refused(Invalid, "the server does not offer what the URL asks for"),
        RedisKind::MasterNameNotFoundBySentinel => refused(Unavailable, "no Sentinel knows that service"),
        RedisKind::NoValidReplicasFoundBySentinel
        | RedisKind::EmptySentinelList
        | RedisKind::ClusterConnectionNotFound => {
            refused(Unavailable, "no node of the server can be reached; try again")
        }
        RedisKind::Extension => code_verdict(error.code().unwrap_or_default()),
        RedisKind::Io if error.is_connection_refusal() => {
            refused(Unavailable, "the server refuses connections; is it running?")
        }
        RedisKind::Io if error.is_timeout() => unsure(Unavailable, "the server did not answer in time"),
        RedisKind::Io | RedisKind::Client => unsure(Unavailable, "the connection to the server was lost"),
        RedisKind::Parse | RedisKind::UnexpectedReturnType => {
            unsure(Corrupt, "the server answered what no script of this version answers")
        }
        _ => unsure(Internal, "the server was used wrongly, which is a bug"),
    }
}

fn server_verdict(kind: ServerErrorKind, error: &RedisError) -> ErrorAdvice {
    use ErrorKind::{Internal, Invalid, Unavailable};
    match kind {
        ServerErrorKind::BusyLoading => refused(Unavailable, "the server is loading its data; try again"),
        ServerErrorKind::ReadOnly => {
            refused(Unavailable, "the server is a read-only replica; connect to its master")
        }
        ServerErrorKind::MasterDown | ServerErrorKind::ClusterDown => {
            refused(Unavailable, "a part of the server is down; try again")
        }
        ServerErrorKind::Moved | ServerErrorKind::Ask | ServerErrorKind::TryAgain => {
            refused(Unavailable, "the queue is moving to another node; try again")
        }
        // A script that is refused half-way has taken effect up to there: the server undoes
        // nothing.
        ServerErrorKind::NoPerm | ServerErrorKind::ResponseError if is_of_script(error) => {
            unsure(Invalid, rights::ADVICE)
        }
        ServerErrorKind::NoPerm => refused(Invalid, rights::ADVICE),
        ServerErrorKind::CrossSlot => refused(Internal, "keys of one call are apart, which is a bug"),
        ServerErrorKind::NoScript | ServerErrorKind::ExecAbort => {
            refused(Unavailable, "the server forgot the script in between; try again")
        }
        ServerErrorKind::ResponseError if says_no_permission(error) => refused(Invalid, rights::ADVICE),
        ServerErrorKind::ResponseError if is_wrong_login(error) => {
            refused(Invalid, "the server refuses the user, the password or the database")
        }
        _ => unsure(Internal, "the server refused a script; were the queue's keys changed by hand?"),
    }
}

/// Answers that the driver does not know by name.
fn code_verdict(code: &str) -> ErrorAdvice {
    use ErrorKind::{Corrupt, Internal, Invalid, Unavailable};
    match code {
        "NOAUTH" | "WRONGPASS" => refused(Invalid, "the server wants another user or password"),
        "OOM" => refused(Unavailable, "the server's memory is full; settle or prune jobs, or give it more"),
        "BUSY" | "UNKILLABLE" => refused(Unavailable, "another script keeps the server busy; try again"),
        "MISCONF" => refused(Unavailable, "the server cannot save to its disk and refuses writes; mend that"),
        "NOREPLICAS" => refused(Unavailable, "too few replicas are connected, so the server refuses writes"),
        TOO_FEW_REPLICAS => unsure(Unavailable, "too few replicas had the write in time; try again"),
        "CORRUPT" => refused(Corrupt, "an index has an entry without its record; run verify"),
        "WRONGTYPE" => unsure(Corrupt, "a key of the queue holds something else; run verify"),
        _ => unsure(Internal, "the server answered an error that is not known"),
    }
}

/// Whether a server, or a proxy before it, refuses the `HELLO 3` that begins a connection. The
/// driver recognizes the words of some servers.
fn lacks_resp3(error: &RedisError) -> bool {
    let refuses_hello = |detail: &str| {
        let detail = detail.to_ascii_lowercase();
        detail.contains("unknown command") && detail.contains("hello")
    };
    error.kind() == RedisKind::RESP3NotSupported
        || error.code() == Some("NOPROTO")
        || error.detail().is_some_and(refuses_hello)
}

/// A right that is missing in the middle of a script, as Redis 7.0 says it and as others do.
fn is_of_script(error: &RedisError) -> bool {
    let detail = error.detail().unwrap_or_default();
    ["The user executing the script can't", "ACL failure in script"].iter().any(|text| detail.contains(text))
}

/// For a database that the user may not choose, as the driver passes it on.
fn says_no_permission(error: &RedisError) -> bool {
    error.detail().is_some_and(|detail| detail.contains("no permissions"))
}

fn is_wrong_login(error: &RedisError) -> bool {
    let detail = error.detail().unwrap_or_default();
    ["invalid password", "without any password", "DB index is out of range"]
        .iter()
        .any(|text| detail.contains(text))
}
