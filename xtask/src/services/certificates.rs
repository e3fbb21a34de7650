//! Certificates of servers that speak TLS: an authority made at each start, and what it and a
//! stranger signed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    date_time_ymd,
};

/// What stays as it is in a URL's query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'/');
/// Where the servers are.
const HERE: &[&str] = &["127.0.0.1", "localhost"];

/// The files of one place. URLs name the authority's and the client's; tests find the others beside
/// them.
pub(super) struct Certificates {
    folder: PathBuf,
}

/// A certificate that is made for each place.
struct Leaf {
    /// What its two files are called.
    name: &'static str,
    /// Whom it is about: for a client of Postgres, the user.
    subject: &'static str,
    hosts: &'static [&'static str],
    last_year: i32,
}

const SERVER: Leaf = Leaf { name: "server", subject: "server", hosts: HERE, last_year: 4096 };
const CLIENT: Leaf = Leaf { name: "client", subject: "queue", ..SERVER };
const EXPIRED: Leaf = Leaf { name: "expired", last_year: 2001, ..CLIENT };
const OTHER_NAME: Leaf =
    Leaf { name: "other-name", subject: "other", hosts: &["elsewhere.invalid"], ..SERVER };
/// By an authority that is trusted nowhere.
const STRANGER: Leaf = Leaf { name: "stranger", ..CLIENT };

impl Certificates {
    pub(super) fn below(folder: &Path) -> Self {
        Self { folder: folder.join("tls") }
    }

    /// Makes all of them again.
    pub(super) fn make(&self) -> Result<Vec<(PathBuf, String)>> {
        let (authority, nobody) = (authority("test authority")?, authority("nobody")?);
        let mut files = vec![(self.authority(), authority.pem())];
        for (leaf, issuer) in [
            (SERVER, &authority),
            (CLIENT, &authority),
            (EXPIRED, &authority),
            (OTHER_NAME, &authority),
            (STRANGER, &nobody),
        ] {
            let key = KeyPair::generate().context("no key")?;
            let signed = leaf.params()?.signed_by(&key, issuer).context("no certificate")?;
            let [certificate_file, key_file] = self.leaf(leaf.name);
            files.extend([(certificate_file, signed.pem()), (key_file, key.serialize_pem())]);
        }
        Ok(files)
    }

    /// The certificate by which a server checks others, its own, and its key.
    pub(super) fn of_server(&self) -> [PathBuf; 3] {
        let [certificate, key] = self.leaf(SERVER.name);
        [self.authority(), certificate, key]
    }

    /// Options of a URL, for the authority, the client's certificate and its key.
    pub(super) fn options(&self, names: [&str; 3]) -> String {
        let [certificate, key] = self.leaf(CLIENT.name);
        let files = [self.authority(), certificate, key];
        let escaped = files.map(|file| utf8_percent_encode(&file.to_string_lossy(), PLAIN).to_string());
        let options: Vec<_> =
            names.iter().zip(escaped).map(|(name, file)| format!("{name}={file}")).collect();
        options.join("&")
    }

    fn authority(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    fn leaf(&self, name: &str) -> [PathBuf; 2] {
        ["pem", "key"].map(|end| self.folder.join(format!("{name}.{end}")))
    }
}

impl Leaf {
    /// For either side, since servers of one Cluster are clients of each other.
    fn params(&self) -> Result<CertificateParams> {
        let hosts: Vec<String> = self.hosts.iter().map(|&host| host.to_owned()).collect();
        let mut params = CertificateParams::new(hosts).context("a host has an odd name")?;
        params.distinguished_name.push(DnType::CommonName, self.subject);
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.use_authority_key_identifier_extension = true;
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(self.last_year, 1, 1);
        Ok(params)
    }
}

fn authority(name: &str) -> Result<CertifiedIssuer<'static, KeyPair>> {
    let mut params = CertificateParams::new(Vec::new()).context("an authority has no hosts")?;
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().context("no key")?;
    CertifiedIssuer::self_signed(params, key).context("no authority")
}

#[cfg(test)]
mod tests {
    use super::Certificates;
    use std::path::Path;

    #[test]
    fn every_certificate_has_a_key() {
        let files = Certificates::below(Path::new("x")).make().expect("they can be made");
        let text = |name: &str| {
            let file = files.iter().find(|(path, _)| path.ends_with(name));
            file.map(|(_, text)| text.as_str()).unwrap_or_default()
        };
        assert!(text("ca.pem").contains("BEGIN CERTIFICATE"));
        for name in ["server", "client", "expired", "other-name", "stranger"] {
            assert!(text(&format!("{name}.pem")).contains("BEGIN CERTIFICATE"), "{name}");
            assert!(text(&format!("{name}.key")).contains("PRIVATE KEY"), "{name}");
        }
    }

    #[test]
    fn options_name_the_files_of_a_client() {
        let folder = "/tmp/x%20y/tls";
        let expected = format!("a={folder}/ca.pem&b={folder}/client.pem&c={folder}/client.key");
        assert_eq!(Certificates::below(Path::new("/tmp/x y")).options(["a", "b", "c"]), expected);
    }
}
