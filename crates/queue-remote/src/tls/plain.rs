//! What stands in for certificates in a build that encrypts nothing.

use super::CertificateFiles;
use std::{error::Error as StdError, io};
use tokio::net::TcpStream;

pub(crate) async fn encrypt(_: TcpStream, _host: &str, _: &CertificateFiles) -> io::Result<TcpStream> {
    Err(io::Error::other("this build encrypts nothing"))
}

pub(crate) fn verdict(_error: &(dyn StdError + 'static)) -> Option<String> {
    None
}
