//! The answer of a script, read part by part.

use bytes::Bytes;
use queue_core::{Error, ErrorKind, Moment, Result, Timestamp};
use redis::Value;

/// The parts of a script's answer, taken one after the other.
#[derive(Debug)]
pub(crate) struct Reply {
    operation: &'static str,
    parts: std::vec::IntoIter<Value>,
}

impl Reply {
    pub(crate) fn new(operation: &'static str, value: Value) -> Result<Self> {
        match value {
            Value::Array(parts) => Ok(Self { operation, parts: parts.into_iter() }),
            _ => Err(corrupt(operation)),
        }
    }

    pub(crate) fn array(&mut self) -> Result<Self> {
        let value = self.parts.next().ok_or_else(|| corrupt(self.operation))?;
        Self::new(self.operation, value)
    }

    /// A number, which scripts also send as text where Lua might round it.
    pub(crate) fn integer(&mut self) -> Result<i64> {
        match self.parts.next() {
            Some(Value::Int(number)) => Ok(number),
            Some(Value::BulkString(text)) => {
                let text = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
                text.ok_or_else(|| corrupt(self.operation))
            }
            _ => Err(corrupt(self.operation)),
        }
    }

    pub(crate) fn count(&mut self) -> Result<u64> {
        u64::try_from(self.integer()?).map_err(|_| corrupt(self.operation))
    }

    /// Store time and the clock.
    pub(crate) fn moment(&mut self) -> Result<Moment> {
        let now = Timestamp::from_millis(self.integer()?);
        Ok(Moment { now, clock: Timestamp::from_millis(self.integer()?) })
    }

    /// A time, where a negative number stands for none.
    pub(crate) fn time(&mut self) -> Result<Option<Timestamp>> {
        let millis = self.integer()?;
        Ok((millis >= 0).then_some(Timestamp::from_millis(millis)))
    }

    pub(crate) fn bytes(&mut self) -> Result<Bytes> {
        self.optional()?.ok_or_else(|| corrupt(self.operation))
    }

    /// Bytes, or nothing in their place.
    pub(crate) fn optional(&mut self) -> Result<Option<Bytes>> {
        match self.parts.next() {
            Some(Value::BulkString(bytes)) => Ok(Some(bytes.into())),
            Some(Value::Nil) => Ok(None),
            _ => Err(corrupt(self.operation)),
        }
    }

    /// How many parts are left.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }
}

/// The server answered what no script of this version answers, or a record is not one that this
/// library writes.
pub(crate) fn corrupt(operation: &'static str) -> Error {
    let message = "a stored value is not one that this version of the library writes; run verify";
    Error::new(ErrorKind::Corrupt, operation, message).unknown()
}
