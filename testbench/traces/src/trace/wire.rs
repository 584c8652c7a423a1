//! Numbers and strings as bytes: little-endian, small numbers in groups of 7 bits.

use ports::is_hidden;

/// What could not be read, and where in the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Offset in the bytes.
    pub at: usize,
    /// What should stand there.
    pub expected: &'static str,
}

/// Appends a number: 7 bits a byte, least first, the top bit set in all but the last.
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a length and the bytes.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Maps small negative numbers to small numbers.
pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

/// The inverse of [`zigzag`].
pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// A little-endian number of at most 8 bytes.
pub fn little_endian(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Bytes that are read from the front.
#[derive(Clone, Debug)]
pub struct Wire<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Wire<'a> {
    /// Reads from `at`.
    pub fn new(all: &'a [u8], at: usize) -> Self {
        Self { all, at: at.min(all.len()) }
    }

    /// Bytes read so far.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Bytes left.
    pub fn left(&self) -> usize {
        self.all.len() - self.at
    }

    /// An error at this place.
    pub fn malformed(&self, expected: &'static str) -> Malformed {
        Malformed { at: self.at, expected }
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize, expected: &'static str) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.all.len());
        let end = end.ok_or(self.malformed(expected))?;
        let bytes = &self.all[self.at..end];
        self.at = end;
        Ok(bytes)
    }

    /// One byte.
    pub fn byte(&mut self, expected: &'static str) -> Result<u8, Malformed> {
        Ok(self.take(1, expected)?[0])
    }

    /// 8 bytes.
    pub fn u64(&mut self, expected: &'static str) -> Result<u64, Malformed> {
        Ok(little_endian(self.take(8, expected)?))
    }

    /// A number of [`put_varint`].
    pub fn varint(&mut self, expected: &'static str) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte(expected)?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(self.malformed(expected));
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.malformed(expected))
    }

    /// A number of at most `max`.
    pub fn number(&mut self, max: u64, expected: &'static str) -> Result<u64, Malformed> {
        let at = self.at;
        let value = self.varint(expected)?;
        if value > max { Err(Malformed { at, expected }) } else { Ok(value) }
    }

    /// A number of at most 2^32 - 1.
    pub fn u32(&mut self, expected: &'static str) -> Result<u32, Malformed> {
        Ok(self.number(u64::from(u32::MAX), expected)? as u32)
    }

    /// How many elements follow. Each takes at least `size` bytes, so that no count asks for more
    /// memory than the file's own size justifies.
    pub fn count(&mut self, size: usize, expected: &'static str) -> Result<usize, Malformed> {
        let at = self.at;
        let value = self.varint(expected)?;
        if value > (self.left() / size) as u64 {
            return Err(Malformed { at, expected });
        }
        Ok(value as usize)
    }

    /// Bytes of [`put_bytes`].
    pub fn bytes(&mut self, expected: &'static str) -> Result<&'a [u8], Malformed> {
        let n = self.count(1, expected)?;
        self.take(n, expected)
    }

    /// A string of at most `max` bytes.
    pub fn string(&mut self, max: usize, expected: &'static str) -> Result<String, Malformed> {
        let at = self.at;
        let bytes = self.bytes(expected)?;
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= max);
        let text = text.ok_or(Malformed { at, expected })?;
        // What a reader prints is what the name is.
        match text.contains(is_hidden) {
            true => Err(Malformed { at, expected: "a name without control characters" }),
            false => Ok(text.to_string()),
        }
    }

    /// Errors when bytes are left.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.left() == 0 { Ok(()) } else { Err(self.malformed("the end of the chunk")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            assert_eq!(Wire::new(&out, 0).varint("a number"), Ok(value));
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_refused() {
        assert!(Wire::new(&[0xff; 11], 0).varint("a number").is_err());
        let mut bytes = [0xff; 10];
        bytes[9] = 2;
        assert!(Wire::new(&bytes, 0).varint("a number").is_err());
    }

    #[test]
    fn a_name_that_a_terminal_would_obey_is_refused() {
        for (name, is_right) in [
            ("kernel<float>(int, \u{e4})", true),
            ("\u{1b}[2J", false),
            ("a\nPASS b", false),
            ("a\0", false),
            ("\u{202e}txt", false),
        ] {
            let mut out = Vec::new();
            put_bytes(&mut out, name.as_bytes());
            let expected = "a name without control characters";
            let found = Wire::new(&out, 0).string(100, "a name");
            assert_eq!(found.ok().as_deref(), is_right.then_some(name));
            if !is_right {
                let refused = Wire::new(&out, 0).string(100, "a name").unwrap_err();
                assert_eq!(refused, Malformed { at: 0, expected });
            }
        }
    }

    #[test]
    fn a_count_beyond_the_bytes_is_refused() {
        let mut out = Vec::new();
        put_varint(&mut out, 1 << 40);
        let expected = Malformed { at: 0, expected: "a count" };
        assert_eq!(Wire::new(&out, 0).count(1, "a count"), Err(expected));
    }
}
