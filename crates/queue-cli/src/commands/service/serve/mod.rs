//! `queue serve`: the store over HTTP, for programs in any language and on any host.

mod demo;
mod front;
mod keys;
mod log;
mod measured;
mod options;
mod running;

use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
    signals::{ReloadSignal, StopSignals},
    store_wait::StoreWaitArgs,
};
use clap::Args;
use demo::Demo;
use keys::Keys;
use measured::MeasuredService;
use options::{DoorArgs, ListenArgs};
use queue::{Storage, queue_core::lifecycle::Policy};
use queue_http::{Service, ServiceLimits};
use queue_remote::StoreService;
use queue_telemetry::{Metered, PrometheusMetrics};
use queue_web::{AccessPolicy, Dashboard, TraceUrl, WatchedStores};
use running::{Files, Running};
use std::{path::PathBuf, sync::Arc};

#[derive(Debug, Args)]
#[command(after_help = "\
Programs in any language enqueue, work and look through it; docs/service has the protocol and how to run it. A browser
sees the dashboard at /, and logs in with a token that has the scope view; `queue serve --demo` shows one at once.
`queue token new` makes the tokens. Without --tokens it starts with --no-auth alone, and then only where no other machine
reaches it. SIGHUP reads tokens, keys and certificates again. The first SIGINT, SIGTERM or SIGQUIT ends it once its
requests are answered (at most --drain-timeout), a second one at once.
With --wait it waits for a store that is not there yet, with pauses of 1 s to 30 s; connections are answered once the store
is there. A signal ends that with 0. A wrong URL, a wrong password and a store of another version end it at once.
Jobs that are claimed through it and not settled come back when their leases lapse, whatever happens to the service.")]
#[expect(clippy::struct_excessive_bools, reason = "each is one option of a command")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    listen: ListenArgs,
    #[command(flatten)]
    door: DoorArgs,
    /// Serve a made-up store in memory with traffic, failures and schedules, to look at the
    /// dashboard; --store is not used, and without --tokens all users of this machine are let in
    #[arg(long)]
    demo: bool,
    /// Make the store if its file or directory is missing; without it a missing one is refused,
    /// since its name may be mistyped
    #[arg(long)]
    create: bool,
    /// The same store at each start, in which no time passes, so that pages can be compared
    #[arg(long, hide = true, requires = "demo")]
    still: bool,
    /// The calls alone, without the dashboard at /
    #[arg(long, conflicts_with = "demo")]
    no_dashboard: bool,
    /// Where traces are shown, such as `https://traces.example.org/trace/{trace_id}`: the dashboard
    /// links jobs with a trace context to it
    #[arg(long, value_name = "URL", env = "QUEUE_TRACE_URL", conflicts_with = "no_dashboard")]
    trace_url: Option<TraceUrl>,
    /// The keys of receipts and of the dashboard's sessions, from `queue token rotate-key`; all
    /// servers of a store need the same, before and after a restart [default: `PATH.keys.json` for
    /// a store at a path, made if it is missing; else one made up now]
    #[arg(long, value_name = "FILE", env = "QUEUE_KEY_FILE")]
    key_file: Option<PathBuf>,
    /// What to write to standard error [default: warn; with --demo, whose jobs fail on purpose,
    /// error]
    #[arg(long, value_name = "LEVEL", value_enum)]
    log: Option<log::Level>,
    #[command(flatten)]
    store_wait: StoreWaitArgs,
}

pub(crate) async fn run(args: ServeArgs, session: &Session) -> Result<Exit, CliError> {
    log::start(args.log.unwrap_or(if args.demo { log::Level::Error } else { log::Level::Warn }));
    let mut stop = StopSignals::beside_reload()?;
    let reload = ReloadSignal::listen()?;
    let args = ServeArgs { door: args.door.for_demo(args.demo), ..args };
    let door = args.door.door()?;
    let control = args.door.control(&door)?;
    let server = args.listen.options(door.clone()).bind().await?;
    // A store in memory is others' to use while this process serves it, so it is not refused here.
    let prometheus = PrometheusMetrics::new()?;
    let metered = |store| Arc::new(Metered::new(store, prometheus.metrics())) as Arc<dyn Storage>;
    let demo = match (args.demo, args.still) {
        (true, true) => Some(Demo::still().await?),
        (true, false) => Some(Demo::begin(metered, prometheus.metrics()).await?),
        (false, _) => None,
    };
    let missing = if args.create { Missing::Create } else { Missing::RefuseToServe };
    let storage = if let Some(demo) = &demo {
        demo.storage()
    } else {
        let open = || session.open_any(missing);
        let Some(storage) = args.store_wait.open(session.out.format(), &mut stop, open).await? else {
            return Ok(Exit::Ok);
        };
        metered(storage)
    };
    let path = queue::store_path(&session.url).filter(|_| demo.is_none());
    let Keys { keys, file: key_file } = Keys::of(args.key_file, path.as_deref())?;
    let service = Service::with(storage.clone(), keys.clone(), ServiceLimits::default(), Policy::default())
        .with_store_face(StoreService::new(storage.clone()))
        .with_metrics(Arc::new(MeasuredService(prometheus)));
    let dashboard = (!args.no_dashboard).then(|| {
        let policy = AccessPolicy::of_door(control.clone()).with_keys(keys.clone());
        let policy = if args.listen.is_encrypted() { policy.over_https() } else { policy };
        let watched = WatchedStores::from(storage.clone());
        let watched = if args.demo { watched } else { watched.readiness(service.readiness()) };
        let stores = Dashboard::new(watched).limits(*service.limits());
        let stores = args.trace_url.iter().cloned().fold(stores, Dashboard::trace_url);
        stores.access(policy)
    });
    let files = Files { door, keys, key_file, tls: server.tls_reload() };
    let running = Running { server, service, control, dashboard, demo, files, out: session.out };
    let ended = running.serve(&mut stop, reload).await;
    let closed = storage.close().await;
    let exit = ended?;
    closed?;
    Ok(exit)
}
