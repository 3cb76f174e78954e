//! Reading the compact form. Whatever does not fit its rules is a panic: the program then fails.

use tokenweir::Wait;

use crate::format::ERRORS;

/// The recorded instants are signed, ours start at 0.
pub(crate) const SHIFT: i128 = 1 << 63;

/// What is left to read; a copy reads the same again.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// The instant read last, as recorded.
    now: i64,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            now: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.bytes(1)[0]
    }

    fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (bytes, rest) = self
            .rest
            .split_at_checked(length)
            .expect("the scenarios end in the middle of one");
        self.rest = rest;
        bytes
    }

    pub(crate) fn unsigned(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }

    pub(crate) fn signed(&mut self) -> i64 {
        let zigzag = self.unsigned();
        (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)
    }

    pub(crate) fn signed_wide(&mut self) -> i128 {
        let (mut zigzag, mut shift) = (0_u128, 0);
        loop {
            let byte = self.byte();
            zigzag |= u128::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return (zigzag >> 1) as i128 ^ -((zigzag & 1) as i128);
            }
        }
    }

    pub(crate) fn count(&mut self) -> usize {
        usize::try_from(self.unsigned()).expect("a count")
    }

    /// A new scenario begins: instants are again differences from the recorded 0.
    pub(crate) fn begin(&mut self) -> usize {
        self.now = 0;
        self.count()
    }

    /// The next instant, in ticks.
    pub(crate) fn instant(&mut self) -> u64 {
        let difference = self.signed();
        self.now = self.now.wrapping_add(difference);
        shifted(self.now)
    }

    /// The instant of something beside the present one: possibly before tick 0.
    pub(crate) fn instant_nearby(&mut self) -> i128 {
        self.signed_wide() + i128::from(self.now) + SHIFT
    }

    /// An instant counted from the recorded 0.
    pub(crate) fn instant_since_zero(&mut self) -> u64 {
        shifted(i64::try_from(self.unsigned()).expect("an i64 instant"))
    }

    pub(crate) fn wait(&mut self) -> Wait {
        self.optional().map_or(Wait::Never, Wait::Ticks)
    }

    pub(crate) fn optional(&mut self) -> Option<u64> {
        self.unsigned().checked_sub(1)
    }

    /// The code of an error, if there is one.
    pub(crate) fn error(&mut self) -> Option<&'static str> {
        let place = usize::from(self.byte());
        place.checked_sub(1).map(|place| ERRORS[place])
    }

    pub(crate) fn text(&mut self) -> &'a str {
        let length = self.count();
        core::str::from_utf8(self.bytes(length)).expect("a text")
    }
}

fn shifted(recorded: i64) -> u64 {
    (recorded as u64) ^ (1 << 63)
}
