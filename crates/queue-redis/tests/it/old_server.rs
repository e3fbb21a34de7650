//! Servers that know the older protocol alone, played by a socket that refuses `HELLO`.

use queue_core::ErrorKind;
use queue_redis::{RedisOptions, RedisStorage};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinSet,
};

/// A server that answers everything with these words, and its URL. It ends with what is returned.
async fn server_that_says(words: &'static str) -> (JoinSet<()>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let mut server = JoinSet::new();
    server.spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            while stream.read(&mut [0; 4_096]).await.is_ok_and(|read| read > 0) {
                drop(stream.write_all(words.as_bytes()).await);
            }
        }
    });
    (server, format!("redis://{address}"))
}

#[tokio::test]
async fn a_server_without_resp3_is_unsupported_and_the_error_names_the_version() {
    for words in [
        "-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n",
        "-ERR unknown command 'HELLO', with args beginning with: '3' \r\n",
        "-ERR unknown command 'hello'\r\n",
        "-NOPROTO unsupported protocol version\r\n",
    ] {
        let (_server, url) = server_that_says(words).await;
        let options = RedisOptions::new(&url).expect("valid");
        let error = RedisStorage::open(options).await.expect_err(words);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{words:?}: {error}");
        assert!(error.message().contains("Redis 7.0"), "{words:?}: {error}");
    }
}
