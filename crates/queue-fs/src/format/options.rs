//! The stored form of fields that few jobs have.

use super::{
    gate::{read_end_signals, write_end_signals},
    wire::{FieldReader, FieldWriter, Malformed},
};
use queue_core::{EndSignal, Headers, JobMeta, SharedTerms, Signalling, Span, Tags};
use queue_memory::PackedJob;

/// Which of the options follow that few jobs have, in this order.
mod option {
    pub(super) const EXPIRES_IN: u8 = 1;
    pub(super) const TERMS: u8 = 1 << 1;
    pub(super) const TAGS: u8 = 1 << 2;
    pub(super) const HEADERS: u8 = 1 << 3;
    pub(super) const END_SIGNALS: u8 = 1 << 4;
    pub(super) const PARTITION: u8 = 1 << 5;
    pub(super) const ALL: u8 = (1 << 6) - 1;
}

/// Whether a job has any of what [`write_options`] writes: most have none, and are written without.
pub(super) fn has_options(job: &PackedJob) -> bool {
    options(job) != 0
}

/// How long it may wait for its start, its terms, tags, headers, end signals and partition.
pub(super) fn write_options(out: &mut FieldWriter<'_>, job: &PackedJob) {
    let traits = &*job.traits;
    out.u8(options(job));
    traits.expires_in.iter().for_each(|span| out.i64(span.as_millis()));
    if !traits.terms.is_plain() {
        out.blob(&traits.terms.to_bytes());
    }
    traits.tags.to_text().into_iter().chain(job.headers.to_text()).for_each(|text| out.text(&text));
    if job.signalling != Signalling::None {
        write_end_signals(out, job.course().end_signals());
    }
    traits.partition.iter().for_each(|partition| out.name(partition));
}

/// Reads what [`write_options`] wrote; headers and end signals are none of the metadata.
pub(super) fn read_options(
    from: &mut FieldReader<'_>,
    job: &mut JobMeta,
) -> Result<(Headers, Vec<EndSignal>), Malformed> {
    let options = from.u8()?;
    if options & !option::ALL != 0 {
        return Err(Malformed("a job has an option that this version does not know"));
    }
    let has = |option| options & option != 0;
    job.expires_in = if has(option::EXPIRES_IN) { Some(span(from)?) } else { None };
    if has(option::TERMS) {
        job.terms = read_terms(from)?;
    }
    let tags = if has(option::TAGS) { Some(from.text()?) } else { None };
    job.tags = Tags::from_text(tags).map_err(|_| Malformed("a job has tags that are none"))?;
    let headers = if has(option::HEADERS) { Some(from.text()?) } else { None };
    let headers = Headers::from_text(headers).map_err(|_| Malformed("a job has headers that are none"))?;
    let end_signals = if has(option::END_SIGNALS) { read_end_signals(from)? } else { Vec::new() };
    if has(option::END_SIGNALS) {
        job.signalling = Signalling::owing(end_signals.len());
    }
    job.partition = if has(option::PARTITION) { Some(from.name()?) } else { None };
    Ok((headers, end_signals))
}

fn options(job: &PackedJob) -> u8 {
    let traits = &*job.traits;
    u8::from(traits.expires_in.is_some()) * option::EXPIRES_IN
        + u8::from(!traits.terms.is_plain()) * option::TERMS
        + u8::from(!traits.tags.is_empty()) * option::TAGS
        + u8::from(!job.headers.is_empty()) * option::HEADERS
        + u8::from(job.signalling != Signalling::None) * option::END_SIGNALS
        + u8::from(traits.partition.is_some()) * option::PARTITION
}

pub(super) fn read_terms(from: &mut FieldReader<'_>) -> Result<SharedTerms, Malformed> {
    SharedTerms::from_bytes(&from.bytes()?).map_err(|malformed| Malformed(malformed.why()))
}

fn span(from: &mut FieldReader<'_>) -> Result<Span, Malformed> {
    match from.i64()? {
        millis if (0..=Span::MAX.as_millis()).contains(&millis) => Ok(Span::from_millis(millis)),
        _ => Err(Malformed("a length of time is out of bounds")),
    }
}
