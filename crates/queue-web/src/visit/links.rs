//! Links, which are relative to all pages.

use crate::routes;
use form_urlencoded::Serializer;
use http::Method;

/// A link to a page.
pub(crate) fn relative(page: &str, pairs: &[(&str, &str)]) -> String {
    if pairs.is_empty() {
        return format!("./{page}");
    }
    let mut query = Serializer::new(String::new());
    query.extend_pairs(pairs);
    format!("./{page}?{}", query.finish())
}

/// The link to the page that a form names as the one to return to, if it is a page of the
/// dashboard. The link is built from the name of that page and from fields that are encoded again;
/// no other input of the form reaches it.
pub(crate) fn back(wanted: &str) -> Option<String> {
    let wanted = wanted.strip_prefix("./").unwrap_or(wanted);
    let (page, query) = wanted.split_once('?').unwrap_or((wanted, ""));
    let is_page = |route: &&routes::PageRoute| route.method == Method::GET && &route.path[1..] == page;
    let route = routes::table().iter().find(is_page).filter(|route| route.path != "/changes")?;
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
    Some(relative(&route.path[1..], &pairs))
}

#[cfg(test)]
mod tests {
    use super::{back, relative};

    #[test]
    fn a_link_keeps_any_name_apart_from_the_address() {
        assert_eq!(relative("", &[]), "./");
        assert_eq!(relative("job", &[("id", "../a&b=c#d")]), "./job?id=..%2Fa%26b%3Dc%23d");
    }

    #[test]
    fn a_form_leads_back_to_pages_of_the_dashboard_alone() {
        assert_eq!(back("./jobs?queue=a%26b").as_deref(), Some("./jobs?queue=a%26b"));
        assert_eq!(back("").as_deref(), Some("./"));
        for elsewhere in [
            "//evil.example",
            "https://evil.example",
            "/jobs",
            "../jobs",
            "javascript:x",
            "changes",
            "pause",
            ".//evil",
        ] {
            assert_eq!(back(elsewhere), None, "{elsewhere}");
        }
    }
}
