//! A collector that hangs.

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::{
    error::OTelSdkResult,
    metrics::{
        PeriodicReader, SdkMeterProvider, Temporality, data::ResourceMetrics, exporter::PushMetricExporter,
    },
};
use queue::Queue;
use queue_telemetry::{Metered, QueueMetrics};
use std::{
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

/// An exporter whose collector accepts what is sent to it, and does not answer until the test ends.
struct HangingExporter {
    begun: mpsc::Sender<()>,
    over: Mutex<mpsc::Receiver<()>>,
}

impl PushMetricExporter for HangingExporter {
    async fn export(&self, _: &ResourceMetrics) -> OTelSdkResult {
        // Both fail once the test has ended.
        let _ = self.begun.send(());
        let _ = self.over.lock().expect("nobody panics with it").recv();
        Ok(())
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }

    fn temporality(&self) -> Temporality {
        Temporality::Cumulative
    }
}

#[tokio::test]
async fn neither_enqueues_nor_workers_wait_for_a_collector_that_hangs() {
    let ((begun, hangs), (end, over)) = (mpsc::channel(), mpsc::channel());
    let exporter = HangingExporter { begun, over: Mutex::new(over) };
    let reader = PeriodicReader::builder(exporter).with_interval(Duration::from_millis(1));
    let provider = SdkMeterProvider::builder().with_reader(reader.build()).build();
    let metrics = QueueMetrics::new(&provider.meter("shop"));
    let store = Arc::new(Metered::new(queue::open("memory:").await.unwrap(), &metrics));
    hangs.recv().unwrap();

    let mails: Queue<String> = Queue::new(store.clone(), "mails").unwrap();
    mails.enqueue("a", "hello".to_owned()).await.unwrap();
    let observer = metrics.clone();
    let worker = mails.work_with(|_, _| async { Ok(()) }).on_event(move |event| observer.observe(event));
    worker.until_idle().build().unwrap().run().await;
    metrics.read_store(&*store).await.unwrap();
    assert_eq!(mails.counts().await.unwrap().of(queue::State::Completed), 1);
    drop(end);
}
