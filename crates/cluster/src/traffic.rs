//! Bytes that go from process to process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Serialize;
use timely::communication::logging::{CommunicationEvent, CommunicationEventBuilder};
use timely::logging::{CommChannelKind, TimelyEvent, TimelyEventBuilder};
use timely::logging_core::Logger;
use timely::worker::Worker;

/// An entry of timely's log of connections.
type LogEntry = (Duration, CommunicationEvent);

/// Bytes that a process has sent to others, by their purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Records of the dataflow between processes.
    pub records: u64,
    /// Progress messages of timely.
    pub progress: u64,
    /// Heartbeats, and messages at the start and the end.
    pub heartbeats: u64,
}

/// The same while it is counted, by channel of timely.
#[derive(Debug, Default)]
pub(crate) struct SentBytes {
    /// Those of computations that have ended.
    before: Mutex<Traffic>,
    by_channel: Mutex<BTreeMap<usize, u64>>,
    /// The channels of progress messages.
    progress: Mutex<BTreeSet<usize>>,
}

impl SentBytes {
    /// A computation begins: it has channels of its own.
    pub(crate) fn begin_computation(&self) {
        let before = self.traffic(0);
        *self.before.lock() = before;
        self.by_channel.lock().clear();
        self.progress.lock().clear();
    }

    /// The bytes counted so far. `heartbeats` are counted by the connections.
    pub(crate) fn traffic(&self, heartbeats: u64) -> Traffic {
        let progress = self.progress.lock();
        let mut traffic = Traffic {
            heartbeats,
            ..*self.before.lock()
        };
        for (channel, bytes) in self.by_channel.lock().iter() {
            match progress.contains(channel) {
                true => traffic.progress += bytes,
                false => traffic.records += bytes,
            }
        }
        traffic
    }

    /// A logger that counts what a thread of timely sends.
    pub(crate) fn logger(self: &Arc<SentBytes>) -> Logger<CommunicationEventBuilder> {
        let counted = Arc::clone(self);
        Logger::new(
            Instant::now(),
            Duration::ZERO,
            move |_, events: &mut Option<Vec<LogEntry>>| {
                let mut by_channel = counted.by_channel.lock();
                for (_, event) in events.iter().flatten() {
                    if let CommunicationEvent::Message(message) = event
                        && message.is_send
                    {
                        let bytes = message.header.required_bytes() as u64;
                        *by_channel.entry(message.header.channel).or_default() += bytes;
                    }
                }
            },
        )
    }

    /// Notes which channels of a worker have progress messages.
    pub(crate) fn learn(self: &Arc<SentBytes>, worker: &Worker) {
        let counted = Arc::clone(self);
        if let Some(mut register) = worker.log_register() {
            register.insert::<TimelyEventBuilder, _>("timely", move |_, events| {
                for (_, event) in events.iter().flatten() {
                    if let TimelyEvent::CommChannels(channel) = event
                        && channel.kind == CommChannelKind::Progress
                    {
                        counted.progress.lock().insert(channel.identifier);
                    }
                }
            });
        }
    }
}
