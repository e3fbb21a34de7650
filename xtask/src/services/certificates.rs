//! Certificates of servers that speak TLS: an authority made at each start, and what it and a
//! stranger signed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, date_time_ymd,
};

use super::server::Place;

/// What stays as it is in a URL's query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'/');
/// Where the servers are.
const HERE: &[&str] = &["127.0.0.1", "localhost"];
const ELSEWHERE: &[&str] = &["elsewhere.invalid"];

/// Whether clients have to encrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Plain,
    /// With a certificate on either side.
    Tls,
}

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
const CLIENT: Leaf = Leaf { name: "client", subject: "queue", hosts: HERE, last_year: 4096 };
const EXPIRED: Leaf = Leaf { name: "expired", subject: "queue", hosts: HERE, last_year: 2001 };
const OTHER_NAME: Leaf = Leaf { name: "other-name", subject: "other", hosts: ELSEWHERE, last_year: 4096 };
/// By an authority that nobody trusts.
const STRANGER: Leaf = Leaf { name: "stranger", subject: "queue", hosts: HERE, last_year: 4096 };

impl Certificates {
    pub(super) fn of(place: &Place) -> Self {
        Self { folder: place.folder.join("tls") }
    }

    /// Makes all of them anew, readable for the servers' account alone.
    pub(super) fn make(place: &Place) -> Result<Self> {
        let files = Self::of(place);
        place.account.create_folder(&files.folder)?;
        let (authority, nobody) = (authority("test authority")?, authority("nobody")?);
        place.account.write(&files.authority(), &authority.pem())?;
        for leaf in [SERVER, CLIENT, EXPIRED, OTHER_NAME] {
            files.write(place, &leaf, &authority)?;
        }
        files.write(place, &STRANGER, &nobody)?;
        Ok(files)
    }

    /// The certificate by which all others are checked.
    pub(super) fn authority(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    /// What a server shows, with its key.
    pub(super) fn server(&self) -> (PathBuf, PathBuf) {
        self.leaf(SERVER.name)
    }

    /// Options of a URL, for the authority, the client's certificate and its key.
    pub(super) fn options(&self, names: [&str; 3]) -> String {
        let (certificate, key) = self.leaf(CLIENT.name);
        let files = [self.authority(), certificate, key];
        let options: Vec<_> =
            names.iter().zip(&files).map(|(name, file)| format!("{name}={}", escaped(file))).collect();
        options.join("&")
    }

    fn leaf(&self, name: &str) -> (PathBuf, PathBuf) {
        (self.folder.join(format!("{name}.pem")), self.folder.join(format!("{name}.key")))
    }

    fn write(&self, place: &Place, leaf: &Leaf, issuer: &Issuer<'_, KeyPair>) -> Result<()> {
        let key = KeyPair::generate().context("no key")?;
        let signed = leaf.params()?.signed_by(&key, issuer).context("no certificate")?;
        let (certificate_file, key_file) = self.leaf(leaf.name);
        place.account.write(&certificate_file, &signed.pem())?;
        place.account.write(&key_file, &key.serialize_pem())
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

fn escaped(path: &Path) -> String {
    utf8_percent_encode(&path.to_string_lossy(), PLAIN).to_string()
}

#[cfg(test)]
mod tests {
    use super::Certificates;
    use crate::services::server::{Place, sample_place};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn every_certificate_has_a_key_that_nobody_else_can_read() {
        let root = tempfile::tempdir().expect("a folder");
        let place = Place { folder: root.path().to_owned(), ..sample_place(&[1]) };
        let files = Certificates::make(&place).expect("they can be made");
        assert!(fs::read_to_string(files.authority()).expect("it is there").contains("BEGIN CERTIFICATE"));
        for name in ["server", "client", "expired", "other-name", "stranger"] {
            let (certificate, key) = files.leaf(name);
            assert!(fs::read_to_string(certificate).expect(name).contains("BEGIN CERTIFICATE"));
            assert!(fs::read_to_string(&key).expect(name).contains("PRIVATE KEY"));
            let mode = fs::metadata(&key).expect(name).permissions().mode();
            assert_eq!(mode & 0o077, 0, "{name}");
        }
    }

    #[test]
    fn options_name_the_files_of_a_client() {
        let files = Certificates::of(&sample_place(&[1]));
        let folder = "/tmp/x%20y/tls";
        let expected = format!("a={folder}/ca.pem&b={folder}/client.pem&c={folder}/client.key");
        assert_eq!(files.options(["a", "b", "c"]), expected);
    }
}
