//! Tasks that wait for their turn under one limit, with tokio's timer.
//!
//! `cargo run -p tokenweir --example waiting --features std`

use std::error::Error;
use std::time::{Duration, Instant};

use tokenweir::{Limits, MonotonicClock, SharedLimiter, Tokens};
use tokio::time::sleep;

fn main() -> Result<(), Box<dyn Error>> {
    let limits = Limits::parse("20/s burst 3")?;
    let limiter = SharedLimiter::new(limits, MonotonicClock::new())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    runtime.block_on(async {
        let started = Instant::now();
        for call in 1..=8 {
            limiter
                .acquire_async(Tokens::ONE, Duration::from_secs(1), sleep)
                .await?;
            println!("call {call} after {:>3} ms", started.elapsed().as_millis());
        }
        // Three more take 150 ms, longer than this caller has.
        match limiter
            .acquire_async(Tokens::new(3)?, Duration::from_millis(20), sleep)
            .await
        {
            Ok(()) => println!("the report was sent"),
            Err(error) => println!("the report was not sent: {error}"),
        }
        Ok(())
    })
}
