//! Stored state: no bytes panic, what decodes can be worked with, and what is written decodes.
//!
//! A checksum keeps nearly all changed bytes out, so it is made right first.

use tokenweir::stored::{Command, Desired, Outcome, step};
use tokenweir::{Limits, Tokens};

pub(crate) fn run(data: &[u8]) {
    let limits = Limits::parse("burst: 10/s; daily: cycle 100/day").expect("limits");
    let desired = Desired::new(&limits);
    let _ = step(Some(data), &desired, 0, &Command::Statuses);
    let [first, _, _, body @ ..] = data else {
        return;
    };
    let check = checksum([first].into_iter().chain(body)).to_le_bytes();
    let mut bytes = [&[*first][..], &check, body].concat();
    for now in [0, 1_790_000_000_000_000_000, u64::MAX] {
        for command in [
            Command::Statuses,
            Command::Check(Tokens::ONE),
            Command::AcquireUpTo(Tokens::MAX),
            Command::AcquireIgnoringLimits(Tokens::MAX),
            Command::Refund(Tokens::ONE),
            Command::ForceAdd(Tokens::MAX),
            Command::Reset,
        ] {
            let Ok(result) = step(Some(&bytes), &desired, now, &command) else {
                // Only the first bytes may be refused.
                assert_eq!(bytes.get(3..), Some(body), "what was written is refused");
                return;
            };
            if let Outcome::Decision(decision) = result.outcome {
                assert!(decision.scope < result.limits.len());
            }
            if let Some(write) = result.write {
                bytes = write.bytes;
                // What was written says the same as what was in memory.
                let again = step(Some(&bytes), &desired, now, &Command::Statuses);
                let again = again.expect("what was written");
                assert_eq!(
                    (again.epoch, again.consumed),
                    (result.epoch, result.consumed)
                );
                assert!(again.write.is_none());
            }
        }
    }
}

/// The checksum of the layout, written a second time from its description.
fn checksum<'a>(bytes: impl Iterator<Item = &'a u8>) -> u16 {
    let mut register: u32 = 0xffff;
    for byte in bytes {
        for bit in (0..8).rev() {
            let feedback = (register >> 15) ^ u32::from(byte >> bit & 1);
            register = (register << 1) & 0xffff;
            if feedback & 1 == 1 {
                register ^= 0x1021;
            }
        }
    }
    register as u16
}
