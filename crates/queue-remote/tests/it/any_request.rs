//! The server of a store answers every request, and never with a fault of its own.

use http::{Method, Request, StatusCode};
use http_body_util::Full;
use proptest::{
    prelude::*,
    sample::{Index, select},
};
use queue_memory::MemoryStorage;
use queue_remote::StoreService;
use std::{cell::OnceCell, sync::Arc};
use tokio::runtime::{Builder, Runtime};
use tower_service::Service;

/// The header that names the contract, as the crate does not tell its users.
const CONTRACT: &str = "queue-contract";
const VERBS: [&str; 23] = [
    "open",
    "enqueue",
    "claim",
    "apply",
    "get",
    "list",
    "attempts",
    "counts",
    "queues",
    "prune",
    "import",
    "set_paused",
    "set_limits",
    "limits",
    "partitions",
    "announce",
    "set_duty",
    "workers",
    "write_series",
    "read_series",
    "verify",
    "diagnose",
    "listen",
];

thread_local! {
    static SERVED: OnceCell<(Runtime, StoreService, String)> = const { OnceCell::new() };
}

fn served() -> (Runtime, StoreService, String) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut service = StoreService::new(Arc::new(MemoryStorage::new()));
    let request = Request::post("/store/v1/open").body(Full::<bytes::Bytes>::default()).expect("valid");
    let answer = runtime.block_on(service.call(request)).expect("it always answers");
    let contract = answer.headers()[CONTRACT].to_str().expect("it is text").to_owned();
    (runtime, service, contract)
}

/// The text of a length or a number as messages write it, names, and noise.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        Just(vec![1, b'q']),
        Just(vec![0; 8]),
        "[a-z]{0,9}".prop_map(|text| [&[text.len() as u8], text.as_bytes()].concat()),
        Just(vec![0xff; 9]),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| [vec![1], pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_request_is_answered_or_refused(
        verb in prop_oneof![5 => select(VERBS.to_vec()).prop_map(str::to_owned), 1 => "[a-z_]{0,9}"],
        body in body(),
        spoiled in prop::option::weighted(0.2, (any::<Index>(), any::<u8>())),
        content_type in prop::option::weighted(0.1, "[ -~]{0,20}"),
        method in prop_oneof![9 => Just(Method::POST), 1 => Just(Method::GET)],
    ) {
        SERVED.with(|cell| {
            let (runtime, service, contract) = cell.get_or_init(served);
            let mut contract = contract.clone().into_bytes();
            if let Some((at, byte)) = spoiled {
                let at = at.index(contract.len());
                contract[at] = byte;
            }
            let content_type = content_type.unwrap_or_else(|| "application/vnd.queue.store".to_owned());
            let request = Request::builder().method(method).uri(format!("/store/v1/{verb}"));
            let request = request.header("content-type", content_type).header(CONTRACT, contract);
            let Ok(request) = request.body(Full::new(bytes::Bytes::from(body))) else { return };
            let answer = runtime.block_on(service.clone().call(request)).expect("it always answers");
            let status = answer.status();
            let is_described = !status.is_server_error() || status == StatusCode::NOT_IMPLEMENTED;
            assert!(is_described, "{verb}: {status}");
        });
    }
}
