//! Scripts that held up the server: it runs one thing at a time.

use super::unanswered;
use queue_core::{Finding, Result};
use redis::Value;

/// How many entries of the log are looked at. It has 128 by default.
pub(super) const ENTRIES: usize = 128;
/// A script of the store takes a few milliseconds, and a heartbeat that waits this long behind
/// several of them comes late.
const SLOW_MICROS: u64 = 100_000;

/// One entry of the log. Its arguments are not read: they hold ids and payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlowCall {
    is_script: bool,
    micros: u64,
}

pub(super) fn judge(calls: Result<Vec<SlowCall>>) -> Finding {
    const CODE: &str = "redis-slow-calls";
    let calls = match calls {
        Ok(calls) => calls,
        Err(error) => return unanswered(CODE, &error),
    };
    let slow: Vec<SlowCall> = calls.iter().filter(|call| call.micros >= SLOW_MICROS).copied().collect();
    let longest = slow.iter().map(|call| call.micros).max().unwrap_or(0);
    let scripts = slow.iter().filter(|call| call.is_script).count();
    if slow.is_empty() {
        return Finding::fine(CODE, format!("none of the {} calls in the log took 100 ms", calls.len()));
    }
    Finding::warning(
        CODE,
        format!(
            "{} calls in the log took 100 ms or more, {scripts} of them scripts; the longest took {} ms",
            slow.len(),
            longest / 1_000
        ),
        "see which they are (SLOWLOG GET): smaller batches, fewer large payloads, no KEYS and no `queue verify` by day; \
         SLOWLOG RESET clears the log",
    )
}

/// Reads the answer of `SLOWLOG GET`: per entry a number, a time, microseconds and the arguments.
pub(super) fn read(entries: &Value) -> Vec<SlowCall> {
    let Value::Array(entries) = entries else { return Vec::new() };
    entries.iter().filter_map(read_one).collect()
}

fn read_one(entry: &Value) -> Option<SlowCall> {
    let Value::Array(parts) = entry else { return None };
    let [_, _, Value::Int(micros), Value::Array(args), ..] = &**parts else { return None };
    let name = match args.first()? {
        Value::BulkString(name) => &**name,
        Value::SimpleString(name) => name.as_bytes(),
        _ => return None,
    };
    let is_script = [&b"EVALSHA"[..], b"EVAL"].iter().any(|script| name.eq_ignore_ascii_case(script));
    Some(SlowCall { is_script, micros: u64::try_from(*micros).unwrap_or(0) })
}
