//! A place where connections come in.

use crate::serve::Address;
use std::{
    fs, io,
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, UnixListener},
};

/// A connection as bytes.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A place where connections come in. A socket in the file system is removed when it is dropped,
/// unless another server has taken its place.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    Unix { listener: UnixListener, path: PathBuf, inode: u64 },
}

impl Listener {
    /// Listens. A socket has its access rights before a client can connect to it.
    pub(super) async fn bind(address: &Address, socket_mode: u32) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => Ok(Self::Tcp(TcpListener::bind(address).await?)),
            Address::Unix(path) => bind_unix(path, socket_mode),
        }
    }

    /// Where it listens, with the port that the system chose if none was given.
    pub(super) fn address(&self) -> io::Result<Address> {
        match self {
            Self::Tcp(listener) => Ok(Address::Tcp(listener.local_addr()?)),
            Self::Unix { path, .. } => Ok(Address::Unix(path.clone())),
        }
    }

    /// The next connection. Dropping the future loses none.
    pub(super) async fn accept(&self) -> io::Result<Box<dyn Stream>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // An answer is written at once, so there is nothing to gain from waiting for more.
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            Self::Unix { listener, .. } => Ok(Box::new(listener.accept().await?.0)),
        }
    }

    /// Whether connections are encrypted if the server can; a socket in the file system needs none.
    pub(super) fn is_network(&self) -> bool {
        matches!(self, Self::Tcp(_))
    }
}

/// The socket is made under another name and then renamed, so that it has its rights from the first
/// moment, and the socket of a server that crashed is replaced.
fn bind_unix(path: &Path, mode: u32) -> io::Result<Listener> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is something else"));
        }
        Ok(_) if std::os::unix::net::UnixStream::connect(path).is_ok() => {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another server listens there"));
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&beside)?;
    fs::set_permissions(&beside, fs::Permissions::from_mode(mode))?;
    fs::rename(&beside, path)?;
    Ok(Listener::Unix { listener, path: path.to_owned(), inode: fs::symlink_metadata(path)?.ino() })
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix { path, inode, .. } = self
            && fs::symlink_metadata(&path).is_ok_and(|found| found.ino() == *inode)
        {
            drop(fs::remove_file(path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Listener;
    use crate::serve::Address;
    use std::{fs, os::unix::fs::MetadataExt};

    #[tokio::test]
    async fn a_socket_has_its_mode_replaces_a_dead_one_and_goes_with_its_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("http.sock");
        let address = Address::Unix(path.clone());
        let first = Listener::bind(&address, 0o660).await.unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o660);
        assert!(Listener::bind(&address, 0o600).await.is_err(), "another server listens");
        drop(first);
        assert!(!path.exists());
        // As after a crash: the file stays, and no process listens.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let second = Listener::bind(&address, 0o600).await.unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        drop(second);
        fs::write(&path, "a file").unwrap();
        assert!(Listener::bind(&address, 0o600).await.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"a file");
    }
}
