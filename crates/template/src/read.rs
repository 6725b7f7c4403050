//! Pages as numbered tokens: step 1 of section 3.2, on several threads.

use crate::Limits;
use crate::share::beginning;
use crate::tokenizer::Tokenizer;
use crate::vocabulary::{First, Vocabulary};

/// The number of tokens that are too long, and of the end of a page.
pub(crate) const NO_TOKEN: i32 = -1;

/// Tokens that are looked up at a time: the processor then waits for many of them at once.
const BATCH: usize = 128;

/// The smallest portion of a thread: each thread has a vocabulary of its own.
const THREAD_BYTES: usize = if cfg!(test) { 8 } else { 32 << 20 };

/// All tokens as numbers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// Page after page, each followed by [`NO_TOKEN`].
    pub(crate) ids: Vec<i32>,
    /// Where each page begins, and where the last ends.
    pub(crate) starts: Vec<u32>,
    /// By number: the first occurrence of the token.
    pub(crate) firsts: Vec<First>,
    /// By number: number of pages that have the token.
    pub(crate) counts: Vec<u32>,
}

/// Adjacent pages, with numbers of their own.
struct ReadPart {
    ids: Vec<i32>,
    starts: Vec<u32>,
    vocabulary: Vocabulary,
}

impl Read {
    /// Reads the pages. The result does not depend on the threads: tokens are numbered in the order of their first occurrence
    /// on all pages.
    pub(crate) fn new(pages: &[&str], tokenizer: &Tokenizer, limits: &Limits, threads: usize) -> Read {
        let most = limits.site_tokens.min(i32::MAX as usize - 1);
        let bytes: usize = pages.iter().map(|page| page.len() + 1).sum();
        // If the limit may be reached, pages are read one after the other, up to the limit.
        let threads = if bytes < most {
            threads.min(bytes / THREAD_BYTES).max(1)
        } else {
            1
        };
        let read = |first, pages| ReadPart::read(first, pages, tokenizer, limits, most);
        let mut parts = std::thread::scope(|scope| {
            let mut others = portions(pages, bytes.div_ceil(threads));
            let here = others.next().unwrap_or_default();
            let others: Vec<_> = others
                .map(|(first, pages)| scope.spawn(move || read(first, pages)))
                .collect();
            let mut parts = vec![read(here.0, here.1)];
            for part in others {
                match part.join() {
                    Ok(part) => parts.push(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            parts
        })
        .into_iter();
        let mut all = parts.next().expect("there is a part, if without pages");
        for part in parts {
            all.append(part);
        }
        let (firsts, counts) = all.vocabulary.into_parts();
        Read {
            ids: all.ids,
            starts: all.starts,
            firsts,
            counts,
        }
    }

    /// Pages that were read.
    pub(crate) fn pages(&self) -> u32 {
        self.starts.len() as u32 - 1
    }
}

/// The pages in portions of about `bytes` bytes, each with the number of its first page.
fn portions<'a, 'p>(pages: &'a [&'p str], bytes: usize) -> impl Iterator<Item = (usize, &'a [&'p str])> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let mut size = 0;
        let rest = pages.get(first..).filter(|rest| !rest.is_empty())?;
        let count = rest.iter().take_while(|page| {
            let has_room = size < bytes;
            size += page.len() + 1;
            has_room
        });
        let portion = (first, &rest[..count.count().max(1)]);
        first += portion.1.len();
        Some(portion)
    })
}

impl ReadPart {
    fn read(first: usize, pages: &[&str], tokenizer: &Tokenizer, limits: &Limits, most: usize) -> ReadPart {
        let mut part = ReadPart {
            ids: Vec::new(),
            starts: vec![0],
            vocabulary: Vocabulary::new(),
        };
        let mut batch = Vec::with_capacity(BATCH);
        for (page, text) in (first as u32..).zip(pages) {
            let text = beginning(text, limits.page_bytes.min(u32::MAX as usize));
            let mut tokens = tokenizer.tokens(text).take(most - part.ids.len());
            loop {
                batch.clear();
                batch.extend(tokens.by_ref().take(BATCH).map(|token| {
                    let bytes = &text.as_bytes()[token.clone()];
                    let first = First {
                        page,
                        start: token.start as u32,
                        length: bytes.len() as u32,
                    };
                    (Vocabulary::hash(bytes), first)
                }));
                part.ids.extend(batch.iter().map(|&(hash, first)| {
                    match first.length as usize <= limits.token_bytes {
                        true => part.vocabulary.number(hash, first) as i32,
                        false => NO_TOKEN,
                    }
                }));
                if batch.len() < BATCH {
                    break;
                }
            }
            part.ids.push(NO_TOKEN);
            part.starts.push(part.ids.len() as u32);
            if part.ids.len() >= most {
                break;
            }
        }
        part
    }

    /// Adds a part of later pages.
    fn append(&mut self, later: ReadPart) {
        let before = self.ids.len() as u32;
        let numbers = self.vocabulary.take_in(later.vocabulary);
        self.ids.extend(later.ids.into_iter().map(|id| match id {
            NO_TOKEN => NO_TOKEN,
            id => numbers[id as usize] as i32,
        }));
        self.starts
            .extend(later.starts[1..].iter().map(|start| start + before));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn threads_do_not_matter(
            pages in prop::collection::vec("([a-f]{1,2} ){0,30}", 0..12),
            threads in 2usize..6,
        ) {
            let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
            let tokenizer = Tokenizer::new(r"\S+").unwrap();
            let read = |threads| Read::new(&pages, &tokenizer, &Limits::default(), threads);
            prop_assert_eq!(read(threads), read(1));
        }
    }
}
