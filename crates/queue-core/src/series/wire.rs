//! The counts of an entry: numbers without those that are zero.

use super::{MalformedSeries, TimeHistogram};
use crate::wire::{Reader, Writer};

type Result<T> = std::result::Result<T, MalformedSeries>;

/// Writes which of the numbers are not zero, and those.
pub(super) fn write_sparse(out: &mut Writer, numbers: &[u64]) {
    let present = |(at, number): (usize, &u64)| u64::from(*number != 0) << at;
    out.number(numbers.iter().enumerate().map(present).sum::<u64>());
    numbers.iter().filter(|number| **number != 0).for_each(|number| out.number(*number));
}

/// Reads what [`write_sparse`] wrote.
pub(super) fn read_sparse<const N: usize>(from: &mut Reader) -> Result<[u64; N]> {
    let present: u64 = from.number()?;
    if present >> N != 0 {
        return Err(MalformedSeries("it has more numbers than this version knows"));
    }
    let mut numbers = [0; N];
    for (at, number) in numbers.iter_mut().enumerate() {
        if present >> at & 1 == 1 {
            *number = from.number()?;
        }
    }
    Ok(numbers)
}

pub(super) fn write_histogram(out: &mut Writer, histogram: &TimeHistogram) {
    write_sparse(out, histogram.buckets());
    out.number(histogram.sum_us());
}

/// Reads what [`write_histogram`] wrote.
pub(super) fn read_histogram(from: &mut Reader) -> Result<TimeHistogram> {
    Ok(TimeHistogram::from_parts(read_sparse(from)?, from.number()?))
}
