//! What everything else is compared with: a decision that was made beforehand.

#![no_std]
#![no_main]

footprint::measure!([bool; 2] = [true, false], |answers, now| answers
    [(now & 1) as usize]);
