//! The fields of a form, or of an address.

/// The most fields that are looked at: a page of ids, and a filter.
const FIELDS_MAX: usize = 500;

/// The fields of a form, or of an address, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(bytes).take(FIELDS_MAX);
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// The first field of this name, unless it is empty, as browsers send fields that were not
    /// filled in.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str());
        found.filter(|value| !value.is_empty())
    }

    /// All fields of this name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(|text| text.parse().ok())
    }

    /// The fields that are filled in, except these.
    pub(crate) fn without<'a>(&'a self, left_out: &'a [&str]) -> Vec<(&'a str, &'a str)> {
        let pairs = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        pairs.filter(|(name, value)| !value.is_empty() && !left_out.contains(name)).collect()
    }
}
