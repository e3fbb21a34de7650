//! The name in a client certificate.

use std::fmt::Write;
use x509_parser::prelude::{FromDer, X509Certificate};

/// The subject of a certificate in the form of RFC 4514, the most specific part first, such as
/// `CN=mailer,OU=jobs,O=Example`. Every character that could be taken for one of the form is
/// escaped, so two different subjects never read the same. `None` if there is no subject, or one
/// with values that are no text.
pub(crate) fn subject_of(certificate: &[u8]) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let mut text = String::new();
    let parts: Vec<_> = certificate.subject().iter_rdn().collect();
    for part in parts.into_iter().rev() {
        for (at, attribute) in part.iter().enumerate() {
            if !text.is_empty() {
                text.push(if at == 0 { ',' } else { '+' });
            }
            let kind = attribute.attr_type().to_id_string();
            text.push_str(short_name(&kind).unwrap_or(&kind));
            text.push('=');
            escape(attribute.as_str().ok()?, &mut text);
        }
    }
    (!text.is_empty()).then_some(text)
}

/// The names that RFC 4514 gives; any other attribute keeps its number.
fn short_name(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "2.5.4.3" => "CN",
        "2.5.4.6" => "C",
        "2.5.4.7" => "L",
        "2.5.4.8" => "ST",
        "2.5.4.9" => "STREET",
        "2.5.4.10" => "O",
        "2.5.4.11" => "OU",
        "0.9.2342.19200300.100.1.1" => "UID",
        "0.9.2342.19200300.100.1.25" => "DC",
        _ => return None,
    })
}

fn escape(value: &str, text: &mut String) {
    let last = value.chars().count().saturating_sub(1);
    for (at, character) in value.chars().enumerate() {
        let is_edge = (at == 0 && matches!(character, ' ' | '#')) || (at == last && character == ' ');
        if is_edge || matches!(character, '"' | '+' | ',' | ';' | '<' | '>' | '\\' | '=') {
            text.push('\\');
        }
        if character.is_control() {
            write!(text, "\\{:02X}", u32::from(character)).expect("writing to text cannot fail");
        } else {
            text.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::subject_of;
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

    fn subject(parts: &[(DnType, &str)]) -> Option<String> {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        for (kind, value) in parts {
            params.distinguished_name.push(kind.clone(), *value);
        }
        subject_of(params.self_signed(&KeyPair::generate().unwrap()).unwrap().der())
    }

    #[test]
    fn a_subject_reads_from_its_most_specific_part_and_cannot_look_like_another() {
        use DnType::{CommonName, OrganizationName};
        let plain = subject(&[(OrganizationName, "Example"), (CommonName, "mailer")]).unwrap();
        assert_eq!(plain, "CN=mailer,O=Example");
        let posing = subject(&[(CommonName, "mailer,O=Example")]).unwrap();
        assert_eq!(posing, "CN=mailer\\,O\\=Example");
        assert_eq!(subject(&[(CommonName, "a\nb")]).unwrap(), "CN=a\\0Ab");
        assert_eq!(subject(&[(CommonName, " #a ")]).unwrap(), "CN=\\ #a\\ ");
        assert_eq!(subject(&[]), None);
        assert_eq!(subject_of(b"garbage"), None);
    }
}
