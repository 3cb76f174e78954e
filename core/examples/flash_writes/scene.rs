//! A budget of writes to flash memory that outlives resets.
//!
//! A page of flash memory lasts for some 10 000 writes. A device that stores something at each start
//! and then crashes has used it up within a day, if each start brings a fresh budget. So the budget
//! is kept in 24 bytes of memory that is backed by a battery or merely not cleared by a reset, such as
//! the backup registers of a real-time clock.

use core::fmt::{self, Write};

use tokenweir::{Bandwidth, Bucket, BucketConfig, SavedError, Tokens, checked};

const DAY: u64 = 86_400;

/// In seconds: 20 writes at once and 80 each day, at most 100 within any 24 hours.
const WRITES: Bandwidth = checked!(Bandwidth::greedy(20, 80, DAY));
const CONFIG: BucketConfig<1> = BucketConfig::single(WRITES);
/// As before, and empty at first.
const EMPTY: BucketConfig<1> = BucketConfig::single(checked!(WRITES.with_initial_tokens(0)));

/// How often the device looks what there is to do, in seconds.
const TICK: usize = 10;

/// What a reset does not clear.
struct Device {
    registers: [u8; 24],
    /// How often the flash memory was written.
    writes: u32,
}

impl Device {
    /// The budget of a life that begins now, at 0 of its clock.
    fn start(&self, off: Option<u64>) -> Bucket<1> {
        match Bucket::load(CONFIG, &self.registers, off, 0) {
            Ok(bucket) => bucket,
            // The first start of all.
            Err(SavedError::Foreign) => Bucket::new(CONFIG, 0),
            // Damaged, or from other firmware: no reason for a fresh budget.
            Err(_) => Bucket::new(EMPTY, 0),
        }
    }

    /// From a start to the reset after `uptime` seconds, with a write wanted each `every` seconds.
    fn live(&mut self, off: Option<u64>, uptime: u64, every: u64) {
        let mut budget = self.start(off);
        for now in (0..uptime).step_by(TICK) {
            if now % every == 0 && budget.try_consume(Tokens::ONE, now) {
                self.writes += 1;
            }
            // Costs nothing in registers; in flash memory it would be a write of its own.
            self.registers = budget.save(now + TICK as u64);
        }
    }
}

/// Prints how often the flash memory is written on four days of a device.
pub(crate) fn run(out: &mut dyn Write) -> fmt::Result {
    let mut device = Device {
        registers: [0; 24],
        writes: 0,
    };
    let mut before = 0;
    let mut day = |out: &mut dyn Write, device: &Device, what: &str| {
        let writes = device.writes - before;
        before = device.writes;
        let left = device.start(None).available(0);
        writeln!(out, "{what}: {writes:>3} writes, {left:>2} left")
    };

    device.live(None, DAY, 3_600);
    day(out, &device, "a quiet day, one each hour     ")?;

    for _ in 0..DAY / 90 {
        device.live(None, 90, 3_600);
    }
    day(out, &device, "a reset loop, 960 starts a day ")?;

    device.live(None, 10, 10);
    day(out, &device, "off for 2 days, nobody knows it")?;

    device.live(Some(2 * DAY), 600, 10);
    day(out, &device, "off for 2 days, by the calendar")?;

    device.registers[12] ^= 0x40;
    device.live(None, 600, 10);
    day(out, &device, "a flipped bit in the registers ")
}
