//! Metrics in Prometheus' text format.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use gleaner_dataflow::{Progress, Watch};
use gleaner_store::Counts;

use crate::terminal::usage;

pub(crate) fn page(progress: &Progress, counts: &Counts) -> String {
    let mut page = Page::default();
    page.gauge("gleaner_build_info", "The version of gleaner, as a label.")
        .sample(&[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    read(&mut page, progress);
    written(&mut page, &progress.watch);
    parts(&mut page, &progress.watch);
    page.count(
        "gleaner_store_requests_total",
        "Requests to object stores and web servers.",
        &counts.requests,
    );
    page.count(
        "gleaner_store_retries_total",
        "Retries of requests.",
        &counts.retries,
    );
    let channels = page.counter(
        "gleaner_channel_bytes_total",
        "Bytes sent to other processes, by channel.",
    );
    for (channel, bytes) in progress.watch.channels() {
        channels.sample(&[("channel", channel)], bytes as f64);
    }
    memory(&mut page);
    workers(&mut page, &progress.watch);
    page.text
}

fn read(page: &mut Page, progress: &Progress) {
    page.count("gleaner_pages_total", "Captures that were read.", &progress.pages);
    page.count(
        "gleaner_read_bytes_total",
        "Bytes of the input that were read, as stored.",
        &progress.stored_bytes,
    );
    page.count(
        "gleaner_page_bytes_total",
        "Bytes of pages, HTTP codings decoded.",
        &progress.page_bytes,
    );
}

fn written(page: &mut Page, watch: &Watch) {
    page.count(
        "gleaner_documents_total",
        "Rows of the documents table.",
        &watch.documents,
    );
    page.count(
        "gleaner_text_bytes_total",
        "Bytes of the documents' texts.",
        &watch.text_bytes,
    );
    page.count(
        "gleaner_staged_bytes_total",
        "Bytes of pages that wait for site evidence, in files or in memory.",
        &watch.staged_bytes,
    );
    let rejects = page.counter("gleaner_rejects_total", "Rows of the rejects table, by reason.");
    for (reason, count) in watch.rejects() {
        rejects.sample(&[("reason", &reason)], count as f64);
    }
}

fn parts(page: &mut Page, watch: &Watch) {
    let phases = page.gauge("gleaner_phase", "1 for the current phase.");
    for name in gleaner_dataflow::PHASES {
        phases.sample(
            &[("phase", name)],
            f64::from(u8::from(watch.phase() == Some(name))),
        );
    }
    page.gauge("gleaner_parts", "Parts of the input.")
        .sample(&[], watch.parts.load(Relaxed) as f64);
    page.count(
        "gleaner_parts_read_total",
        "Parts that this process has read.",
        &watch.parts_read,
    );
    page.count(
        "gleaner_chunks_written_total",
        "Chunks that this process has written.",
        &watch.chunks_written,
    );
    let (open, oldest) = watch.lag();
    page.gauge("gleaner_parts_open", "Open parts or chunks: begun, not done.")
        .sample(&[], open as f64);
    page.gauge(
        "gleaner_oldest_open_part_age_seconds",
        "Age of the oldest open part or chunk.",
    )
    .sample(&[], oldest.as_secs_f64());
}

fn memory(page: &mut Page) {
    let sizes = [
        (
            "gleaner_resident_memory_bytes",
            "Memory of the process.",
            gleaner_dataflow::resident_memory(),
        ),
        ("gleaner_peak_memory_bytes", "Peak memory.", usage::peak_memory()),
    ];
    for (name, help, bytes) in sizes {
        if let Some(bytes) = bytes {
            page.gauge(name, help).sample(&[], bytes as f64);
        }
    }
    page.counter("gleaner_cpu_seconds_total", "CPU time of all threads.")
        .sample(&[], usage::cpu_seconds());
}

fn workers(page: &mut Page, watch: &Watch) {
    let workers = watch.workers();
    let states = page.gauge("gleaner_worker_state", "1 for the current state of a worker.");
    for status in &workers {
        states.sample(
            &[("worker", &status.worker.to_string()), ("state", status.state)],
            1.0,
        );
    }
    let lasts = page.gauge("gleaner_worker_state_seconds", "Seconds in the current state.");
    for status in &workers {
        lasts.sample(
            &[("worker", &status.worker.to_string())],
            status.lasts.as_secs_f64(),
        );
    }
    let seconds = page.counter("gleaner_worker_seconds_total", "Busy and idle time of workers.");
    for status in &workers {
        let Some(busy) = status.busy else { continue };
        let worker = status.worker.to_string();
        let idle = status.lived.saturating_sub(busy).as_secs_f64();
        seconds
            .sample(&[("worker", &worker), ("state", "busy")], busy.as_secs_f64())
            .sample(&[("worker", &worker), ("state", "idle")], idle);
    }
}

/// Text that grows; samples belong to the metric that was begun last.
#[derive(Default)]
struct Page {
    text: String,
    name: &'static str,
}

impl Page {
    fn counter(&mut self, name: &'static str, help: &str) -> &mut Page {
        self.begin(name, help, "counter")
    }

    fn gauge(&mut self, name: &'static str, help: &str) -> &mut Page {
        self.begin(name, help, "gauge")
    }

    /// A counter without labels.
    fn count(&mut self, name: &'static str, help: &str, count: &AtomicU64) {
        self.counter(name, help).sample(&[], count.load(Relaxed) as f64);
    }

    fn begin(&mut self, name: &'static str, help: &str, kind: &str) -> &mut Page {
        self.name = name;
        self.text += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        self
    }

    fn sample(&mut self, labels: &[(&str, &str)], value: f64) -> &mut Page {
        self.text += self.name;
        for (index, (label, value)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            self.text += &format!("{before}{label}=\"{}\"", escaped(value));
        }
        let after = if labels.is_empty() { "" } else { "}" };
        self.text += &format!("{after} {value}\n");
        self
    }
}

/// A label's value: backslashes, quotes and ends of lines would end it.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_break_out() {
        let mut page = Page::default();
        page.counter("a_total", "Help.")
            .sample(&[("x", "a\\b\"c\nd"), ("y", "")], 1e12)
            .sample(&[], 0.5);
        assert_eq!(
            page.text,
            "# HELP a_total Help.\n# TYPE a_total counter\na_total{x=\"a\\\\b\\\"c\\nd\",y=\"\"} 1000000000000\na_total 0.5\n"
        );
    }
}
