//! The fields of terms, one after the other: a number, a length, and as many bytes. How many there
//! are stands before them, so that no part passes for the whole.

use super::encoding::MalformedTerms;

/// Bytes of a field before its value: number and length.
const FIELD_HEAD: usize = 3;
/// The most bytes of terms that this version does not know.
const NEWER_MAX: usize = 3_072;

/// Terms that a newer version of this library wrote, and that this version does not know. They are
/// stored, copied and moved with the job, and nothing reads them. Most jobs have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NewerTerms(Vec<(u8, Box<[u8]>)>);

impl NewerTerms {
    /// No such terms.
    pub const NONE: Self = Self(Vec::new());

    /// Leaves room for the terms that this version knows, which may be added to these.
    pub(super) fn push(&mut self, field: &Field<'_>) -> Result<(), MalformedTerms> {
        self.0.push((field.number, field.value.into()));
        let bytes: usize = self.0.iter().map(|(_, value)| FIELD_HEAD + value.len()).sum();
        if bytes <= NEWER_MAX { Ok(()) } else { Err(MalformedTerms::LONG) }
    }
}

/// One field.
pub(super) struct Field<'b> {
    pub(super) number: u8,
    pub(super) value: &'b [u8],
}

impl Field<'_> {
    /// The value as a number: at most eight bytes, the highest first, without leading zeros.
    pub(super) fn as_number(&self) -> Result<u64, MalformedTerms> {
        if self.value.len() > size_of::<u64>() || self.value.first() == Some(&0) {
            return Err(MalformedTerms("a number has too many bytes"));
        }
        Ok(self.value.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}

/// Reads fields in ascending order of their numbers, and nothing behind them.
pub(super) struct Fields<'b> {
    left: u8,
    last: u8,
    bytes: &'b [u8],
}

impl<'b> Fields<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Result<Self, MalformedTerms> {
        let (&left, bytes) = bytes.split_first().ok_or(MalformedTerms::SHORT)?;
        Ok(Self { left, last: 0, bytes })
    }

    fn read(&mut self) -> Result<Field<'b>, MalformedTerms> {
        let ([number, high, low], rest) = self.bytes.split_first_chunk().ok_or(MalformedTerms::SHORT)?;
        let len = u16::from_be_bytes([*high, *low]);
        let (value, rest) = rest.split_at_checked(len.into()).ok_or(MalformedTerms::SHORT)?;
        if *number <= self.last {
            return Err(MalformedTerms("a field stands twice, or in the wrong place"));
        }
        (self.last, self.bytes) = (*number, rest);
        Ok(Field { number: *number, value })
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<Field<'b>, MalformedTerms>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(left) = self.left.checked_sub(1) else {
            let rest = std::mem::take(&mut self.bytes);
            return (!rest.is_empty()).then_some(Err(MalformedTerms("something follows the last field")));
        };
        self.left = left;
        Some(self.read())
    }
}

/// Writes fields in ascending order of their numbers.
pub(super) struct FieldWriter(Vec<u8>);

/// Room for what most terms take, so that writing them allocates once.
const MOST_BYTES: usize = 32;

/// Where the number of fields stands, behind the version.
const COUNT_AT: usize = 1;

impl FieldWriter {
    pub(super) fn new(version: u8) -> Self {
        let mut bytes = Vec::with_capacity(MOST_BYTES);
        bytes.extend([version, 0]);
        Self(bytes)
    }

    /// Writes a number without its leading zeros, so zero has no bytes.
    pub(super) fn number(&mut self, number: u8, value: u64) {
        self.bytes(number, &value.to_be_bytes()[value.leading_zeros() as usize / 8..]);
    }

    pub(super) fn bytes(&mut self, number: u8, value: &[u8]) {
        let len = u16::try_from(value.len()).expect("terms have less than 64 KiB");
        self.0[COUNT_AT] += 1;
        self.0.push(number);
        self.0.extend_from_slice(&len.to_be_bytes());
        self.0.extend_from_slice(value);
    }

    pub(super) fn finish(mut self, newer: &NewerTerms) -> Vec<u8> {
        newer.0.iter().for_each(|(number, value)| self.bytes(*number, value));
        self.0
    }
}
