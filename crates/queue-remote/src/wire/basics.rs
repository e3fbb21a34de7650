//! Numbers, texts, byte strings, and what is made of other forms: lists, options, tuples.

use super::{Source, Wire, hash, mix};
use bytes::Bytes;
use queue_core::wire::{Malformed, Writer};
use std::{ops::Range, time::Duration};

macro_rules! numbers {
    ($($type:ident by $put:ident as $wide:ty),*) => {$(
        impl Wire for $type {
            const SCHEMA: u64 = hash(0, stringify!($type));

            fn put(&self, out: &mut Writer) {
                out.$put(<$wide>::try_from(*self).expect("the wider number takes it"));
            }

            fn read(from: &mut Source) -> Result<Self, Malformed> {
                from.reader.$put()
            }
        }
    )*};
}

numbers! {
    u8 by number as u64, u16 by number as u64, u32 by number as u64, u64 by number as u64, usize by number as u64,
    i16 by signed as i64, i64 by signed as i64
}

impl Wire for bool {
    const SCHEMA: u64 = hash(0, "bool");

    fn put(&self, out: &mut Writer) {
        out.byte(u8::from(*self));
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        match from.reader.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("a flag is neither set nor unset")),
        }
    }
}

impl Wire for () {
    const SCHEMA: u64 = hash(0, "nothing");

    fn put(&self, _out: &mut Writer) {}

    fn read(_from: &mut Source) -> Result<Self, Malformed> {
        Ok(())
    }
}

impl Wire for String {
    const SCHEMA: u64 = hash(0, "text");

    fn put(&self, out: &mut Writer) {
        out.text(self);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        from.reader.text()
    }
}

impl Wire for Bytes {
    const SCHEMA: u64 = hash(0, "bytes");

    fn put(&self, out: &mut Writer) {
        out.blob(self);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        from.blob()
    }
}

impl Wire for Duration {
    const SCHEMA: u64 = hash(0, "seconds and nanoseconds");

    fn put(&self, out: &mut Writer) {
        out.number(self.as_secs());
        out.number(self.subsec_nanos());
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        let secs = from.reader.number()?;
        let nanos = from.reader.number::<u32>()?;
        // More would carry over to the seconds, which may have no room.
        if nanos >= 1_000_000_000 {
            return Err(Malformed("a duration has too many nanoseconds"));
        }
        Ok(Self::new(secs, nanos))
    }
}

impl<T: Wire> Wire for Option<T> {
    const SCHEMA: u64 = mix(hash(0, "option"), T::SCHEMA);

    fn put(&self, out: &mut Writer) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        bool::read(from)?.then(|| T::read(from)).transpose()
    }
}

impl<T: Wire> Wire for Box<T> {
    const SCHEMA: u64 = T::SCHEMA;

    fn put(&self, out: &mut Writer) {
        T::put(self, out);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        T::read(from).map(Self::new)
    }
}

impl<T: Wire> Wire for Vec<T> {
    const SCHEMA: u64 = mix(hash(0, "list"), T::SCHEMA);

    fn put(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        for item in self {
            item.put(out);
        }
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        // Collecting reserves no room for a number that may be a lie.
        let len = from.reader.number::<u64>()?;
        (0..len).map(|_| from.take_item().and_then(|()| T::read(from))).collect()
    }
}

impl<T: Wire> Wire for Range<T> {
    const SCHEMA: u64 = mix(hash(0, "range"), T::SCHEMA);

    fn put(&self, out: &mut Writer) {
        self.start.put(out);
        self.end.put(out);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        Ok(T::read(from)?..T::read(from)?)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    const SCHEMA: u64 = mix(mix(hash(0, "pair"), A::SCHEMA), B::SCHEMA);

    fn put(&self, out: &mut Writer) {
        self.0.put(out);
        self.1.put(out);
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        Ok((A::read(from)?, B::read(from)?))
    }
}
