//! The handshake: two processes prove to each other that they know the secret of their group, before anything else is read.
//!
//! The caller sends its number, the number of the process that it calls, and a nonce. The other answers with a nonce of its own.
//! Then each sends the HMAC-SHA-256 of all this under the secret. So the secret itself crosses no network, a code is useless for
//! another connection, and each message has a fixed length: a stranger cannot make this process allocate memory.
//!
//! A group without a secret, which may only be on one machine, uses an empty key.

use std::fmt;
use std::io;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The start of each message: other programs call ports, too.
const MAGIC: &[u8; 7] = b"gleaner";

/// The version of the messages between processes.
const VERSION: u8 = 2;

/// Bytes of the head of a message: the magic number, the version, and whether there is a secret.
const HEAD: usize = MAGIC.len() + 2;

/// Bytes of a nonce.
const NONCE: usize = 32;

/// Bytes of a code.
const CODE: usize = 32;

/// Bytes of a [`Call`].
pub(super) const CALL: usize = HEAD + 8 + NONCE;

/// Bytes of a [`Challenge`].
pub(super) const CHALLENGE: usize = HEAD + NONCE;

/// Bytes of the caller's proof.
pub(super) const PROOF: usize = CODE;

/// Bytes of the answer to it: whether it was right, and the proof of the other.
pub(super) const VERDICT: usize = 1 + CODE;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) caller: u32,
    pub(super) called: u32,
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

    pub(super) fn to_bytes(self) -> [u8; CALL] {
        let mut bytes = [0; CALL];
        bytes[..HEAD].copy_from_slice(&head(self.has_secret));
        bytes[HEAD..HEAD + 4].copy_from_slice(&self.caller.to_le_bytes());
        bytes[HEAD + 4..HEAD + 8].copy_from_slice(&self.called.to_le_bytes());
        bytes[HEAD + 8..].copy_from_slice(&self.nonce);
        bytes
    }

    /// None where the bytes are not a call.
    pub(super) fn read(bytes: &[u8; CALL]) -> Option<Call> {
        let (has_secret, rest) = carried(bytes)?;
        let (caller, rest) = rest.split_first_chunk()?;
        let (called, nonce) = rest.split_first_chunk()?;
        Some(Call {
            caller: u32::from_le_bytes(*caller),
            called: u32::from_le_bytes(*called),
            has_secret,
            nonce: nonce.try_into().ok()?,
        })
    }
}

/// The answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Challenge {
    pub(super) has_secret: bool,
    nonce: [u8; NONCE],
}

impl Challenge {
    pub(super) fn new(secret: Option<&GroupSecret>) -> io::Result<Challenge> {
        Ok(Challenge {
            has_secret: secret.is_some(),
            nonce: nonce()?,
        })
    }

    pub(super) fn to_bytes(self) -> [u8; CHALLENGE] {
        let mut bytes = [0; CHALLENGE];
        bytes[..HEAD].copy_from_slice(&head(self.has_secret));
        bytes[HEAD..].copy_from_slice(&self.nonce);
        bytes
    }

    /// None where the bytes are not a challenge.
    pub(super) fn read(bytes: &[u8; CHALLENGE]) -> Option<Challenge> {
        let (has_secret, nonce) = carried(bytes)?;
        let nonce = nonce.try_into().ok()?;
        Some(Challenge { has_secret, nonce })
    }
}

/// Whose code it is: one can't be sent back as the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Caller,
    Called,
}

/// The code of a side.
pub(super) fn code(side: Side, secret: Option<&GroupSecret>, call: Call, challenge: Challenge) -> [u8; CODE] {
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
    mac.update(&call.to_bytes());
    mac.update(&challenge.to_bytes());
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

fn head(has_secret: bool) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[..MAGIC.len()].copy_from_slice(MAGIC);
    bytes[MAGIC.len()..].copy_from_slice(&[VERSION, u8::from(has_secret)]);
    bytes
}

/// Whether the sender has a secret, and what follows the head.
fn carried(bytes: &[u8]) -> Option<(bool, &[u8])> {
    let (&[version, has_secret], rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk()?;
    (version == VERSION && has_secret <= 1).then_some((has_secret == 1, rest))
}

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
        assert_eq!(Call::read(&call.to_bytes()), Some(call));
        let challenge = Challenge::new(None).unwrap();
        assert_eq!(Challenge::read(&challenge.to_bytes()), Some(challenge));
        assert_ne!(
            challenge,
            Challenge::new(None).unwrap(),
            "each has a nonce of its own"
        );
        for at in 0..HEAD {
            let mut bytes = call.to_bytes();
            bytes[at] ^= 0x80;
            assert_eq!(Call::read(&bytes), None, "byte {at}");
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
