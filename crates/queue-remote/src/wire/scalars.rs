//! Names, times, numbers and labels of jobs.

use super::{Source, Wire, hash};
use queue_core::{
    ContentType, Headers, JobId, Kind, LeaseToken, Partition, QueueName, Seq, SeriesName, SharedTerms, Span,
    Tag, Tags, Timestamp, WorkerId,
    wire::{Malformed, Writer},
};

macro_rules! names {
    ($($type:ident),*) => {$(
        impl Wire for $type {
            const SCHEMA: u64 = hash(0, stringify!($type));

            fn put(&self, out: &mut Writer) {
                out.text(self.as_str());
            }

            fn read(from: &mut Source) -> Result<Self, Malformed> {
                from.reader.name()
            }
        }
    )*};
}

names! { QueueName, JobId, Kind, WorkerId, Partition, SeriesName, ContentType }

macro_rules! scalars {
    ($($type:ident: $put:ident($this:ident => $raw:expr), $read:expr;)*) => {$(
        impl Wire for $type {
            const SCHEMA: u64 = hash(0, stringify!($type));

            fn put(&self, out: &mut Writer) {
                let $this = self;
                out.$put($raw);
            }

            fn read(from: &mut Source) -> Result<Self, Malformed> {
                $read(from)
            }
        }
    )*};
}

scalars! {
    Timestamp: signed(at => at.as_millis()), |from: &mut Source| from.reader.signed().map(Self::from_millis);
    Span: signed(span => span.as_millis()), read_span;
    Seq: number(seq => seq.get()), |from: &mut Source| from.reader.number().map(Self::new);
    SharedTerms: blob(terms => &terms.to_bytes()), read_terms;
    LeaseToken: token(token => token.as_bytes()), |from: &mut Source| from.reader.token().map(Self::from_bytes);
    Tag: text(tag => tag.as_str()), read_tag;
}

/// A length that no span has is refused, and not bent into one.
fn read_span(from: &mut Source) -> Result<Span, Malformed> {
    let millis = from.reader.signed()?;
    let span = Span::from_millis(millis);
    if span.as_millis() == millis { Ok(span) } else { Err(Malformed("a span is too long or negative")) }
}

fn read_terms(from: &mut Source) -> Result<SharedTerms, Malformed> {
    SharedTerms::from_bytes(&from.reader.blob()?).map_err(|malformed| Malformed(malformed.why()))
}

fn read_tag(from: &mut Source) -> Result<Tag, Malformed> {
    Tag::new(from.reader.text()?).map_err(|_| Malformed("a tag breaks the rules of tags"))
}

impl Wire for Tags {
    const SCHEMA: u64 = hash(0, "Tags");

    fn put(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        for tag in self {
            tag.put(out);
        }
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        let tags = Vec::<Tag>::read(from)?;
        Self::new(tags).map_err(|_| Malformed("tags break the rules of tags"))
    }
}

impl Wire for Headers {
    const SCHEMA: u64 = hash(0, "Headers");

    fn put(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        for (name, value) in self.iter() {
            out.text(name);
            out.text(value);
        }
    }

    fn read(from: &mut Source) -> Result<Self, Malformed> {
        let headers = Vec::<(String, String)>::read(from)?;
        Self::new(headers).map_err(|_| Malformed("headers break the rules of headers"))
    }
}
