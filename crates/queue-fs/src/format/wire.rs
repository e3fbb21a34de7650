//! Numbers, text and byte strings in their stored form.

use bytes::Bytes;
use std::ops::Range;

/// Bytes that are not what this library writes, although their checksum is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

/// Appends numbers and texts.
#[derive(Debug)]
pub(super) struct FieldWriter<'b>(pub(super) &'b mut Vec<u8>);

/// Reads them again, in the same order. Nothing it meets makes it panic.
#[derive(Debug)]
pub(super) struct FieldReader<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// Numbers that always stand side by side. They are appended at once, since making sure of the room
/// takes longer than writing a number.
#[derive(Debug)]
pub(super) struct Numbers<const BYTES: usize> {
    bytes: [u8; BYTES],
    len: usize,
}

macro_rules! numbers {
    ($($name:ident: $type:ty;)*) => {
        impl<const BYTES: usize> Numbers<BYTES> {
            $(pub(super) fn $name(&mut self, value: $type) {
                let end = self.len + size_of::<$type>();
                self.bytes[self.len..end].copy_from_slice(&value.to_le_bytes());
                self.len = end;
            })*
        }

        impl FieldReader<'_> {
            $(pub(super) fn $name(&mut self) -> Result<$type, Malformed> {
                self.array().map(<$type>::from_le_bytes)
            })*
        }
    };
}

numbers! {
    u8: u8;
    u16: u16;
    u32: u32;
    u64: u64;
    i16: i16;
    i64: i64;
}

macro_rules! lone_numbers {
    ($($name:ident: $type:ty;)*) => {
        impl FieldWriter<'_> {
            $(pub(super) fn $name(&mut self, value: $type) {
                self.0.extend_from_slice(&value.to_le_bytes());
            })*
        }
    };
}

lone_numbers! {
    u8: u8;
    u16: u16;
    u32: u32;
    u64: u64;
    i64: i64;
}

impl<const BYTES: usize> Numbers<BYTES> {
    pub(super) fn new() -> Self {
        Self { bytes: [0; BYTES], len: 0 }
    }
}

impl FieldWriter<'_> {
    pub(super) fn numbers<const BYTES: usize>(&mut self, numbers: &Numbers<BYTES>) {
        debug_assert_eq!(numbers.len, BYTES, "all of them are there");
        self.0.extend_from_slice(&numbers.bytes);
    }

    /// A name, which has at most 255 bytes.
    pub(super) fn name(&mut self, name: &impl AsRef<str>) {
        let text = name.as_ref();
        self.u8(u8::try_from(text.len()).expect("names have at most 255 bytes"));
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Text that is no name.
    pub(super) fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }

    /// Bytes, and where they stand.
    pub(super) fn blob(&mut self, bytes: &[u8]) -> Range<usize> {
        self.u32(u32::try_from(bytes.len()).expect("a record is shorter than 4 GiB"));
        let start = self.0.len();
        self.0.extend_from_slice(bytes);
        start..self.0.len()
    }

    pub(super) fn token(&mut self, token: &[u8; 16]) {
        self.0.extend_from_slice(token);
    }
}

impl<'b> FieldReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn name<N: TryFrom<&'b str>>(&mut self) -> Result<N, Malformed> {
        N::try_from(self.name_text()?).map_err(|_| Malformed("a name breaks the rules of names"))
    }

    /// The text of a name, which may break the rules of names.
    pub(super) fn name_text(&mut self) -> Result<&'b str, Malformed> {
        let len = usize::from(self.u8()?);
        std::str::from_utf8(self.take(len)?).map_err(|_| Malformed("a name is not UTF-8"))
    }

    pub(super) fn text(&mut self) -> Result<&'b str, Malformed> {
        let bytes = self.blob()?;
        std::str::from_utf8(&self.bytes[bytes]).map_err(|_| Malformed("a text is not UTF-8"))
    }

    /// Where the bytes stand.
    pub(super) fn blob(&mut self) -> Result<Range<usize>, Malformed> {
        let len = usize::try_from(self.u32()?).map_err(|_| SHORT)?;
        let start = self.at;
        self.take(len)?;
        Ok(start..start + len)
    }

    /// A copy of the bytes.
    pub(super) fn bytes(&mut self) -> Result<Bytes, Malformed> {
        self.blob().map(|range| Bytes::copy_from_slice(&self.bytes[range]))
    }

    pub(super) fn token(&mut self) -> Result<[u8; 16], Malformed> {
        self.array()
    }

    /// A value that has a stable number, or none.
    pub(super) fn code<T>(
        &mut self,
        of: impl Fn(u8) -> Option<T>,
        what: &'static str,
    ) -> Result<T, Malformed> {
        of(self.u8()?).ok_or(Malformed(what))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| SHORT)
    }

    fn take(&mut self, len: usize) -> Result<&'b [u8], Malformed> {
        let end = self.at.checked_add(len).ok_or(SHORT)?;
        let taken = self.bytes.get(self.at..end).ok_or(SHORT)?;
        self.at = end;
        Ok(taken)
    }
}

const SHORT: Malformed = Malformed("it ends too early");
