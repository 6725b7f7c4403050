//! Counts the bytes that go from process to process.

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
type Sent = (Duration, CommunicationEvent);

/// Bytes that a process has sent to others, by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Ends of parts in files that others go on with, and parts that are written.
    pub told: u64,
    /// How far each process is: timely's progress.
    pub progress: u64,
    /// Beats, and words at the beginning and the end.
    pub beats: u64,
}

/// The same while it is counted, by timely's channels.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    by_channel: Mutex<BTreeMap<usize, u64>>,
    /// Which of the channels are of progress.
    progress: Mutex<BTreeSet<usize>>,
}

impl Counted {
    /// Bytes by what they are.
    pub(crate) fn traffic(&self, beats: u64) -> Traffic {
        let progress = self.progress.lock();
        let mut traffic = Traffic {
            beats,
            ..Traffic::default()
        };
        for (channel, bytes) in self.by_channel.lock().iter() {
            match progress.contains(channel) {
                true => traffic.progress += bytes,
                false => traffic.told += bytes,
            }
        }
        traffic
    }

    /// Counts what a thread sends.
    pub(crate) fn logger(self: &Arc<Counted>) -> Logger<CommunicationEventBuilder> {
        let counted = Arc::clone(self);
        Logger::new(
            Instant::now(),
            Duration::ZERO,
            move |_, events: &mut Option<Vec<Sent>>| {
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

    /// Learns which channels of a worker are of progress.
    pub(crate) fn learn(self: &Arc<Counted>, worker: &Worker) {
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
