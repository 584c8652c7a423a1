//! The hash of everything that a body, or another result, depends on.

use sha2::{Digest, Sha256};

/// Digits of a hash.
const DIGITS: usize = 32;

/// Collects what a result depends on.
#[derive(Clone, Default)]
pub struct Key(Sha256);

impl Key {
    /// Adds one part. Its length goes in too, so that no two lists of parts are the same bytes.
    pub fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// The hash: 32 hexadecimal digits.
    pub fn finish(self) -> String {
        let mut all = hex(&self.0.finalize());
        all.truncate(DIGITS);
        all
    }
}

/// True of the text of a hash.
pub fn is_hash(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// SHA-256 of a file's content, in hexadecimal.
pub fn checksum(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
