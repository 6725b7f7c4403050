//! The handshake: two processes prove to each other that they know the secret of their group, before anything else is read.
//!
//! The caller sends its number, the number of the process that it calls, and a nonce. The other answers with a nonce of its own.
//! Then each sends the HMAC-SHA-256 of all this under the secret. So the secret itself crosses no network, a code is useless for
//! another connection, and each message has a fixed length: a stranger cannot make this process allocate memory.
//!
//! A group without a secret, which may only be on one machine, uses an empty key.

use std::fmt;
use std::io;

use bincode::Options;
use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// The start of a call and of its answer: other programs call ports, too. The last byte is the version of the messages.
const MAGIC: [u8; 8] = *b"gleaner\x02";

/// Bytes of a nonce.
const NONCE: usize = 32;

/// Bytes of a [`Call`].
pub(super) const CALL: usize = CHALLENGE + 8;

/// Bytes of a [`Challenge`].
pub(super) const CHALLENGE: usize = MAGIC.len() + 1 + NONCE;

/// Bytes of the caller's proof: a code.
pub(super) const PROOF: usize = 32;

/// Bytes of the answer to it: whether it was right, and the proof of the other.
pub(super) const VERDICT: usize = 1 + PROOF;

/// The secret of a group. It is not printed.
#[derive(Clone)]
pub struct GroupSecret(Vec<u8>);

impl GroupSecret {
    /// A secret of these bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> GroupSecret {
        GroupSecret(bytes.into())
    }
}

impl fmt::Debug for GroupSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroupSecret(...)")
    }
}

/// The first message, by the process that calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) has_secret: bool,
    pub(super) caller: u32,
    pub(super) called: u32,
    nonce: [u8; NONCE],
}

/// The answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Challenge {
    pub(super) has_secret: bool,
    nonce: [u8; NONCE],
}

impl Call {
    pub(super) fn new(caller: usize, called: usize, secret: Option<&GroupSecret>) -> io::Result<Call> {
        Ok(Call {
            caller: caller as u32,
            called: called as u32,
            has_secret: secret.is_some(),
            nonce: nonce()?,
        })
    }
}

impl Challenge {
    pub(super) fn new(secret: Option<&GroupSecret>) -> io::Result<Challenge> {
        Ok(Challenge {
            has_secret: secret.is_some(),
            nonce: nonce()?,
        })
    }
}

/// All messages of a type have one length.
fn fixed() -> impl Options {
    bincode::DefaultOptions::new().with_fixint_encoding()
}

/// A call or a challenge as bytes.
pub(super) fn bytes_of(message: &impl Serialize) -> Vec<u8> {
    let message = fixed().serialize(message).expect("it has no maps and no texts");
    [&MAGIC[..], &message].concat()
}

/// The call or challenge of these bytes; none where they are something else.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    fixed().deserialize(bytes.strip_prefix(&MAGIC)?).ok()
}

/// Whose code it is: one can't be sent back as the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Caller,
    Called,
}

/// The code of a side.
pub(super) fn code(
    side: Side,
    secret: Option<&GroupSecret>,
    call: Call,
    challenge: Challenge,
) -> [u8; PROOF] {
    mac(side, secret, call, challenge).finalize().into_bytes().into()
}

/// Whether a code is that of a side. It takes as long whichever byte is wrong.
pub(super) fn is_code(
    code: &[u8],
    side: Side,
    secret: Option<&GroupSecret>,
    call: Call,
    challenge: Challenge,
) -> bool {
    mac(side, secret, call, challenge).verify_slice(code).is_ok()
}

fn mac(side: Side, secret: Option<&GroupSecret>, call: Call, challenge: Challenge) -> Hmac<Sha256> {
    let key = secret.map_or(&[][..], |secret| &secret.0);
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    mac.update(match side {
        Side::Caller => b"caller",
        Side::Called => b"called",
    });
    mac.update(&bytes_of(&call));
    mac.update(&bytes_of(&challenge));
    mac
}

/// The difference between two processes whose codes do not agree, in a message to the one that has `own`, about the `other`.
pub(super) fn difference(own: bool, other: bool) -> &'static str {
    match (own, other) {
        (true, false) => "it has no secret, and this process has one",
        (false, true) => "it has a secret, and this process has none",
        _ => "it has another secret",
    }
}

/// What to do about it.
pub(super) const MEND: &str = "give all processes the same, in GLEANER_SECRET or by --secret-file";

/// An unpredictable number.
fn nonce() -> io::Result<[u8; NONCE]> {
    let mut bytes = [0; NONCE];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_written() {
        let secret = GroupSecret::new("a");
        let call = Call::new(3, 1, Some(&secret)).unwrap();
        let bytes = bytes_of(&call);
        assert_eq!((bytes.len(), read(&bytes)), (CALL, Some(call)));
        let challenge = Challenge::new(None).unwrap();
        let of_challenge = bytes_of(&challenge);
        assert_eq!(
            (of_challenge.len(), read(&of_challenge)),
            (CHALLENGE, Some(challenge))
        );
        assert_ne!(
            challenge,
            Challenge::new(None).unwrap(),
            "each has a nonce of its own"
        );
        for at in 0..=MAGIC.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x80;
            assert_eq!(read::<Call>(&bytes), None, "byte {at}");
        }
        assert_eq!(format!("{secret:?}"), "GroupSecret(...)");
    }

    #[test]
    fn a_code_is_of_one_secret_one_side_and_one_connection() {
        let [one, other] = ["one", "other"].map(GroupSecret::new);
        let call = Call::new(3, 1, Some(&one)).unwrap();
        let challenge = Challenge::new(Some(&one)).unwrap();
        let known = code(Side::Caller, Some(&one), call, challenge);
        assert!(is_code(&known, Side::Caller, Some(&one), call, challenge));
        assert!(!is_code(&known, Side::Called, Some(&one), call, challenge));
        assert!(!is_code(&known, Side::Caller, Some(&other), call, challenge));
        assert!(!is_code(&known, Side::Caller, None, call, challenge));
        assert!(!is_code(&known[1..], Side::Caller, Some(&one), call, challenge));
        for changed in [
            Call { caller: 2, ..call },
            Call { called: 2, ..call },
            Call {
                has_secret: false,
                ..call
            },
            Call::new(3, 1, Some(&one)).unwrap(),
        ] {
            assert!(
                !is_code(&known, Side::Caller, Some(&one), changed, challenge),
                "{changed:?}"
            );
        }
        let again = Challenge::new(Some(&one)).unwrap();
        assert!(!is_code(&known, Side::Caller, Some(&one), call, again));
        let none = code(Side::Called, None, call, challenge);
        assert!(is_code(&none, Side::Called, None, call, challenge));
    }
}
