//! What must hold for every archive and every damage to it.

mod support;

use gleaner_warc::{Limits, Options, ReadSource, Reader, Reason, Step, Wanted};
use proptest::prelude::*;
use support::{Archive, Block, Item, Reading, STORES, Store, gzip, read, read_range, warc_record, write};

/// Records with blocks of every size up to some thousands of bytes, some of them easy to compress.
fn records() -> impl Strategy<Value = Vec<(String, Block)>> {
    let block = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        (any::<u8>(), 0..6000_usize).prop_map(|(byte, length)| vec![byte; length]),
        "(<p>[a-z \r\n]{0,40}</p>\r\n){0,40}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(block, 1..9).prop_map(|blocks| {
        blocks
            .into_iter()
            .enumerate()
            .map(|(index, block)| (format!("http://a.example/{index}"), Block(block)))
            .collect()
    })
}

fn stores() -> impl Strategy<Value = Store> {
    prop::sample::select(&STORES[..])
}

/// One damage: bytes at a place (in thousandths of the file) flipped, cut out, or put in.
#[derive(Debug, Clone)]
enum Damage {
    Flip(usize, u8),
    Cut(usize, usize),
    Insert(usize, Vec<u8>),
    Truncate(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = 0..1000_usize;
    prop_oneof![
        (place.clone(), 1..=255_u8).prop_map(|(at, bits)| Damage::Flip(at, bits)),
        (place.clone(), 1..200_usize).prop_map(|(at, length)| Damage::Cut(at, length)),
        (place.clone(), prop::collection::vec(any::<u8>(), 1..100))
            .prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        place.prop_map(Damage::Truncate),
    ]
}

impl Damage {
    /// Damages `bytes`; returns the first place that changed and the first after it that is as before,
    /// counted from the end.
    fn apply(&self, bytes: &mut Vec<u8>) -> (usize, usize) {
        let place = |thousandth: usize| thousandth * (bytes.len() - 1) / 1000;
        match self {
            Self::Flip(at, bits) => {
                let at = place(*at);
                bytes[at] ^= bits;
                (at, bytes.len() - at - 1)
            }
            Self::Cut(at, length) => {
                let at = place(*at);
                let end = (at + length).min(bytes.len());
                bytes.drain(at..end);
                (at, bytes.len() - at)
            }
            Self::Insert(at, inserted) => {
                let at = place(*at);
                bytes.splice(at..at, inserted.iter().copied());
                (at, bytes.len() - at - inserted.len())
            }
            Self::Truncate(at) => {
                let at = place(*at);
                bytes.truncate(at);
                (at, 0)
            }
        }
    }
}

/// The ranges between `cuts` (in thousandths), read one by one.
fn parts(bytes: &[u8], cuts: &[usize], chunk: usize) -> Vec<Reading> {
    let mut bounds: Vec<u64> = cuts.iter().map(|cut| (cut * bytes.len() / 1000) as u64).collect();
    bounds.extend([0, u64::MAX]);
    bounds.sort_unstable();
    bounds
        .windows(2)
        .map(|pair| read_range(bytes, pair[0]..pair[1], chunk, &Limits::default()))
        .collect()
}

/// Whether each part that found something begins where those before it ended.
fn meet(parts: &[Reading]) -> bool {
    let mut next = Some(0);
    parts.iter().filter(|part| part.first.is_some()).all(|part| {
        let meets = part.first == next;
        next = part.next;
        meets
    })
}

/// The parts together must give what the whole is.
fn assert_joins(bytes: &[u8], parts: &[Reading]) {
    let joined: Vec<Item> = parts.iter().flat_map(|part| part.items.clone()).collect();
    assert_eq!(joined, read(bytes).items);
}

/// A member that takes in the rest of the file does not hide what is wrong with that rest.
#[test]
fn damage_behind_a_swallowing_member_is_told() {
    let member = |uri: &str| gzip(&warc_record("response", uri, &[b'x'; 600]), 6);
    let claims_more = warc_record("response", "http://a.example/0", b"page");
    let claims_more = String::from_utf8(claims_more)
        .unwrap()
        .replace("Length: 4", "Length: 400000");
    let mut bytes = gzip(claims_more.as_bytes(), 0);
    // Header of the member, type of the block, then its length and its complement.
    bytes[11..15].copy_from_slice(&[0xff, 0xff, 0, 0]);
    bytes.extend(member("http://a.example/1"));
    let damaged = bytes.len();
    bytes.extend(member("http://a.example/2"));
    let crc = bytes.len() - 8;
    bytes[crc] ^= 1;
    bytes.extend(member("http://a.example/3"));
    let reading = read(&bytes);
    let uris: Vec<&str> = reading
        .records()
        .iter()
        .map(|record| record.uri.as_str())
        .collect();
    assert_eq!(
        uris,
        ["http://a.example/0", "http://a.example/1", "http://a.example/3"]
    );
    assert_eq!(reading.records()[0].damage, Some(Reason::Truncated));
    let lost: Vec<u64> = reading.rejects().iter().map(|reject| reject.offset).collect();
    assert_eq!(lost, [damaged as u64]);
    assert_joins(&bytes, &parts(&bytes, &[400, 700], 1000));
}

/// What a reader that only wants captures reports of a file: the records that it hands out, with their damage, and the
/// offsets of the rejects.
fn captures_of(bytes: &[u8]) -> (Vec<(String, Option<Reason>)>, Vec<u64>) {
    let options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    let mut reader = Reader::new(ReadSource::new(bytes), "cut.warc", options);
    let (mut records, mut rejects) = (Vec::new(), Vec::new());
    loop {
        match reader.step().expect("it can be read") {
            Step::Record(record) => records.push((record.target_uri.to_owned(), record.damage)),
            Step::Reject(reject) => rejects.push(reject.offset),
            Step::Pending => unreachable!("nothing is waited for"),
            Step::End => return (records, rejects),
        }
    }
}

#[test]
fn a_file_that_ends_inside_a_record_is_never_taken_for_whole() {
    let first = warc_record("response", "http://a.example/0", &[b'x'; 300]);
    for (kind, is_wanted) in [("request", false), ("response", true), ("warcinfo", false)] {
        let second = warc_record(kind, "http://a.example/1", &[b'y'; 300]);
        let stored = [
            (first.clone(), second.clone()),
            (gzip(&first, 6), gzip(&second, 6)),
        ];
        for (whole, last) in stored {
            // (The first bytes of a member say nothing of a record, nor is a blank line missed.)
            for cut in 25..last.len() - 4 {
                let bytes = [&whole[..], &last[..cut]].concat();
                let (records, rejects) = captures_of(&bytes);
                assert_eq!(
                    records[0],
                    ("http://a.example/0".to_owned(), None),
                    "{kind} {cut}"
                );
                let flagged = records
                    .get(1)
                    .is_some_and(|(_, damage)| *damage == Some(Reason::Truncated));
                assert_eq!(
                    rejects,
                    vec![whole.len() as u64; usize::from(!flagged)],
                    "{kind} {cut}"
                );
                assert!(is_wanted || !flagged, "{kind} {cut}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(store in stores(), records in records(), chunk in 1..5000_usize) {
        let archive = write(store, &records);
        let reading = read_range(&archive.bytes, 0..u64::MAX, chunk, &Limits::default());
        prop_assert_eq!(reading.rejects(), Vec::<&gleaner_warc::Reject>::new());
        let read: Vec<_> = reading.records().iter().map(|record| (record.uri.clone(), record.content.clone())).collect();
        prop_assert_eq!(read, records);
        for record in reading.records() {
            prop_assert_eq!(record.damage, None);
            prop_assert!(archive.starts.contains(&(record.offset as usize)));
        }
    }

    #[test]
    fn records_are_at_their_place(
        store in prop::sample::select(&[Store::Plain, Store::Gzip, Store::Zstd, Store::Lz4, Store::ArcGzip][..]),
        records in records(),
    ) {
        let archive = write(store, &records);
        for record in read(&archive.bytes).records() {
            let alone = &archive.bytes[record.offset as usize..(record.offset + record.length) as usize];
            let again = read(alone);
            prop_assert_eq!(again.items.len(), 1);
            prop_assert_eq!(&again.records()[0].content, &record.content);
        }
    }

    #[test]
    fn ranges_join(store in stores(), records in records(), cuts in prop::collection::vec(0..1000_usize, 1..6), chunk in 1..3000_usize) {
        let bytes = write(store, &records).bytes;
        let parts = parts(&bytes, &cuts, chunk);
        prop_assert!(meet(&parts));
        assert_joins(&bytes, &parts);
    }

    #[test]
    fn ranges_of_damaged_files_join(
        store in stores(),
        records in records(),
        damages in prop::collection::vec(damage(), 1..4),
        cuts in prop::collection::vec(0..1000_usize, 1..6),
        chunk in 1..3000_usize,
    ) {
        let mut bytes = write(store, &records).bytes;
        for damage in &damages {
            if bytes.len() > 1 {
                damage.apply(&mut bytes);
            }
        }
        prop_assume!(gleaner_warc::probe(&bytes, "test.warc").is_ok());
        // A damaged length can make a block of what was a record: then a range that begins inside it says
        // that it begins elsewhere, and the file is read again as a whole.
        let parts = parts(&bytes, &cuts, chunk);
        let does_meet = meet(&parts);
        prop_assert!(does_meet || store == Store::Plain, "{:?} does not meet", store);
        if does_meet {
            assert_joins(&bytes, &parts);
        }
    }

    #[test]
    fn chunks_make_no_difference(store in stores(), records in records(), damage in damage(), chunk in 1..200_usize) {
        let mut bytes = write(store, &records).bytes;
        damage.apply(&mut bytes);
        prop_assume!(gleaner_warc::probe(&bytes, "test.warc").is_ok());
        let small = read_range(&bytes, 0..u64::MAX, chunk, &Limits::default());
        prop_assert_eq!(small.items, read(&bytes).items);
    }

    #[test]
    fn sound_records_survive(
        store in prop::sample::select(&[Store::Plain, Store::Gzip, Store::GzipStored, Store::Zstd, Store::Lz4, Store::ArcGzip][..]),
        records in records(),
        damage in damage(),
    ) {
        let Archive { mut bytes, starts } = write(store, &records);
        let sound = bytes.len();
        let (from, same) = damage.apply(&mut bytes);
        let back = sound - same.min(sound);
        prop_assume!(gleaner_warc::probe(&bytes, "test.warc").is_ok());
        // A file whose first magic number is gone is taken for an uncompressed one; pieces of its members can then
        // pass for records.
        prop_assume!(from >= 4);
        let reading = read(&bytes);
        let found: Vec<_> = reading.records().iter().map(|record| (record.uri.clone(), record.content.clone())).collect();
        for (index, record) in records.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(sound);
            // The record after a damage is found when it begins behind it, the one before when it ends
            // before it.
            if end <= from || (starts[index] >= back && index > 0 && same > 0) {
                prop_assert!(found.contains(record), "record {} of {:?} is lost: {:?}", index, store, reading.items);
            }
        }
    }

    #[test]
    fn any_bytes_are_read_to_the_end(bytes in prop::collection::vec(any::<u8>(), 0..2000), chunk in 1..300_usize) {
        prop_assume!(gleaner_warc::probe(&bytes, "test.warc").is_ok());
        let reading = read_range(&bytes, 0..u64::MAX, chunk, &Limits::default());
        prop_assert!(reading.items.len() <= bytes.len());
    }
}
