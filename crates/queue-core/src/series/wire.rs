//! The bytes of an entry: numbers of seven bits a byte, and histograms without their empty buckets.

use super::{MalformedSeries, TimeHistogram};
use std::str;

type Result<T> = std::result::Result<T, MalformedSeries>;

/// Writes a number: seven bits a byte, the lowest first; the last byte has its high bit clear.
pub(super) fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(super) fn write_text(out: &mut Vec<u8>, text: &str) {
    write_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Writes which of the numbers are not zero, and those.
pub(super) fn write_sparse(out: &mut Vec<u8>, numbers: &[u64]) {
    let present = |(at, number): (usize, &u64)| u64::from(*number != 0) << at;
    write_number(out, numbers.iter().enumerate().map(present).sum());
    numbers.iter().filter(|number| **number != 0).for_each(|number| write_number(out, *number));
}

pub(super) fn write_histogram(out: &mut Vec<u8>, histogram: &TimeHistogram) {
    write_sparse(out, histogram.buckets());
    write_number(out, histogram.sum_us());
}

/// Reads what the functions above wrote.
pub(super) struct SeriesReader<'b>(pub(super) &'b [u8]);

impl<'b> SeriesReader<'b> {
    pub(super) fn byte(&mut self) -> Result<u8> {
        let (&byte, rest) = self.0.split_first().ok_or(MalformedSeries("it ends too early"))?;
        self.0 = rest;
        Ok(byte)
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(MalformedSeries("a number has more than 64 bits"))
    }

    pub(super) fn text(&mut self) -> Result<&'b str> {
        let len = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let (text, rest) = self.0.split_at_checked(len).ok_or(MalformedSeries("it ends too early"))?;
        self.0 = rest;
        str::from_utf8(text).map_err(|_| MalformedSeries("a name is not UTF-8"))
    }

    pub(super) fn sparse<const N: usize>(&mut self) -> Result<[u64; N]> {
        let present = self.number()?;
        if present >> N != 0 {
            return Err(MalformedSeries("it has more numbers than this version knows"));
        }
        let mut numbers = [0; N];
        for (at, number) in numbers.iter_mut().enumerate() {
            if present >> at & 1 == 1 {
                *number = self.number()?;
            }
        }
        Ok(numbers)
    }

    pub(super) fn histogram(&mut self) -> Result<TimeHistogram> {
        Ok(TimeHistogram::from_parts(self.sparse()?, self.number()?))
    }
}
