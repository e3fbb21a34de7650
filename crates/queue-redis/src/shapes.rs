//! What items of a batch have in common, sent once.

use crate::handle::arg;
use std::collections::HashMap;

/// Pushes what items of a batch have in common, each once, as `lua/part/shapes.lua` reads it: the
/// places, the count, the shapes.
pub(crate) fn push_shapes(args: &mut Vec<Vec<u8>>, shapes: impl Iterator<Item = Vec<u8>>) {
    let mut numbers: HashMap<Vec<u8>, u16> = HashMap::new();
    let mut places = Vec::new();
    let mut known = Vec::new();
    for shape in shapes {
        let number = *numbers.entry(shape).or_insert_with_key(|shape| {
            known.push(shape.clone());
            two(known.len() - 1)
        });
        places.extend_from_slice(&number.to_be_bytes());
    }
    args.push(if known.len() > 1 { places } else { Vec::new() });
    args.push(arg(known.len()));
    args.extend(known);
}

/// A number in two bytes: a batch, like the error of a job, is bounded far below what they can say.
pub(crate) fn two(number: usize) -> u16 {
    u16::try_from(number).expect("nothing that a script takes so has more than 65,535")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(shapes: &[&str]) -> Vec<Vec<u8>> {
        let mut args = Vec::new();
        push_shapes(&mut args, shapes.iter().map(|shape| shape.as_bytes().to_vec()));
        args
    }

    #[test]
    fn a_shape_that_all_have_is_sent_once_without_places() {
        assert_eq!(pushed(&["a", "a", "a"]), [&b""[..], b"1", b"a"]);
        assert_eq!(pushed(&[]), [&b""[..], b"0"]);
    }

    #[test]
    fn different_shapes_come_with_the_places_of_the_items() {
        assert_eq!(pushed(&["b", "a", "b"]), [&[0, 0, 0, 1, 0, 0][..], b"2", b"b", b"a"]);
    }
}
