//! Leaves out the lines of a listing that follow from another line.

/// Leaves out the methods of trait implementations, since the trait says what they look like; types
/// and constants stay.
pub(super) fn shorten(listing: &str) -> String {
    let mut short = String::with_capacity(listing.len());
    let mut implementor = None;
    for line in listing.lines() {
        if line.contains("StructuralPartialEq") {
            continue;
        }
        if line.starts_with("impl") {
            implementor = of_trait(line);
        }
        if implementor.is_some_and(|of| is_method(line, of)) {
            continue;
        }
        short.push_str(line);
        short.push('\n');
    }
    short
}

/// The path of the type for which a line implements a trait, without its generics.
fn of_trait(line: &str) -> Option<&str> {
    let (_, of) = line.split_once(" for ")?;
    of.split(['<', ' ']).next()
}

fn is_method(line: &str, of: &str) -> bool {
    let Some((_, path)) = line.split_once("fn ") else { return false };
    line.starts_with("pub ") && path.strip_prefix(of).is_some_and(|rest| rest.starts_with(['<', ':']))
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn methods_of_a_trait_are_left_out_and_own_ones_stay() {
        let listing = "pub struct a::B<T>\nimpl a::B\npub fn a::B<T>::own(&self)\nimpl<T> core::fmt::Debug for a::B<T>\n\
            pub fn a::B<T>::fmt(&self)\npub const unsafe fn a::B::more()\nimpl core::marker::StructuralPartialEq for a::B\n";
        let short = "pub struct a::B<T>\nimpl a::B\npub fn a::B<T>::own(&self)\nimpl<T> core::fmt::Debug for a::B<T>\n";
        assert_eq!(shorten(listing), short);
    }

    #[test]
    fn what_comes_after_an_implementation_stays() {
        let listing = "impl a::Source for a::B\npub type a::B::Item = u8\npub fn a::Bee()\npub fn a::free()\nimpl a::B\n\
             pub fn a::B::own()\n";
        assert_eq!(shorten(listing), listing);
    }
}
