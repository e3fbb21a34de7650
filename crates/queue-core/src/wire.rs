//! Numbers, texts and byte strings one after the other, and reading them back without trusting any
//! of them: what series, receipts and stored jobs of key-value stores are made of, and what a store
//! that talks to a server of its own sends.
//!
//! Numbers take as many bytes as they need (LEB128, those with a sign in zigzag order); texts and
//! byte strings begin with their length. Nothing says which type a value has, so a reader asks for
//! the types in the order in which they were written.
//!
//! ```
//! use queue_core::wire::{Reader, Writer};
//!
//! let mut out = Writer::new(7);
//! out.number(300_u32);
//! out.text("ada");
//! let (version, mut from) = Reader::new(out.into_bytes().into())?;
//! assert_eq!((version, from.number::<u32>()?, from.text()?), (7, 300, "ada".to_owned()));
//! assert!(from.byte().is_err(), "nothing is left");
//! # Ok::<(), queue_core::wire::Malformed>(())
//! ```

use bytes::Bytes;

/// Why bytes are not what a [`Writer`] wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(
    /// What is wrong with them, for people.
    pub &'static str,
);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Malformed {}

const SHORT: Malformed = Malformed("they end too early");
const LARGE: Malformed = Malformed("a number is too large");

/// Bits of a number in each of its bytes; the highest bit says that another byte follows.
const BITS: u32 = 7;
const FOLLOWS: u8 = 1 << BITS;

/// Appends values.
#[derive(Debug)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Begins with the version of what is written.
    pub fn new(version: u8) -> Self {
        Self(vec![version])
    }

    /// All that was written, the version first.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// A byte as it is.
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// A number without a sign: a small one is short.
    pub fn number(&mut self, number: impl Into<u64>) {
        let mut rest: u64 = number.into();
        while rest >= u64::from(FOLLOWS) {
            self.0.push(rest as u8 | FOLLOWS);
            rest >>= BITS;
        }
        self.0.push(rest as u8);
    }

    /// A number with a sign: small ones are short on both sides of zero.
    pub fn signed(&mut self, number: impl Into<i64>) {
        let number: i64 = number.into();
        self.number(((number << 1) ^ (number >> 63)).cast_unsigned());
    }

    /// Sixteen bytes as they are.
    pub fn token(&mut self, token: &[u8; 16]) {
        self.0.extend_from_slice(token);
    }

    /// A byte string, behind its length.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A text, behind its length in bytes.
    pub fn text(&mut self, text: impl AsRef<str>) {
        self.blob(text.as_ref().as_bytes());
    }
}

/// Takes values from the front, in the order in which they were written.
#[derive(Debug)]
pub struct Reader(Bytes);

impl Reader {
    /// The version, and what stands behind it.
    pub fn new(mut bytes: Bytes) -> Result<(u8, Self), Malformed> {
        if bytes.is_empty() {
            return Err(SHORT);
        }
        let version = bytes.split_to(1);
        Ok((version[0], Self(bytes)))
    }

    /// Answers the value if nothing follows it.
    pub fn finish<T>(self, value: T) -> Result<T, Malformed> {
        if self.0.is_empty() { Ok(value) } else { Err(Malformed("something follows the last field")) }
    }

    /// The next byte. It fails at the end, as everything below does.
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    /// A number of the type that is asked for.
    pub fn number<N: TryFrom<u64>>(&mut self) -> Result<N, Malformed> {
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(BITS as usize) {
            let byte = self.byte()?;
            let bits = u64::from(byte & !FOLLOWS);
            if bits << shift >> shift != bits {
                return Err(LARGE);
            }
            number |= bits << shift;
            if byte & FOLLOWS == 0 {
                return N::try_from(number).map_err(|_| LARGE);
            }
        }
        Err(LARGE)
    }

    /// A number with a sign, of the type that is asked for.
    pub fn signed<N: TryFrom<i64>>(&mut self) -> Result<N, Malformed> {
        let coded: u64 = self.number()?;
        let number = (coded >> 1).cast_signed() ^ -(coded & 1).cast_signed();
        N::try_from(number).map_err(|_| LARGE)
    }

    /// The next sixteen bytes.
    pub fn token(&mut self) -> Result<[u8; 16], Malformed> {
        let bytes = self.take(16)?;
        Ok(std::array::from_fn(|at| bytes[at]))
    }

    /// A part of the bytes that are read, not a copy.
    pub fn blob(&mut self) -> Result<Bytes, Malformed> {
        let len = self.number()?;
        self.take(len)
    }

    /// A text; it must be UTF-8.
    pub fn text(&mut self) -> Result<String, Malformed> {
        let bytes = self.blob()?;
        let text = std::str::from_utf8(&bytes).map_err(|_| Malformed("a text is not UTF-8"))?;
        Ok(text.to_owned())
    }

    /// A text that is a name, checked by the rules of that name.
    pub fn name<N: TryFrom<String>>(&mut self) -> Result<N, Malformed> {
        N::try_from(self.text()?).map_err(|_| Malformed("a name breaks the rules of names"))
    }

    /// A value that has a stable number.
    pub fn code<T>(&mut self, of: impl Fn(u8) -> Option<T>) -> Result<T, Malformed> {
        of(self.byte()?).ok_or(Malformed("a number stands for nothing"))
    }

    fn take(&mut self, len: usize) -> Result<Bytes, Malformed> {
        if len > self.0.len() { Err(SHORT) } else { Ok(self.0.split_to(len)) }
    }
}
