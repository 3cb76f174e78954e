//! Waiting until what was taken may be used.

use core::time::Duration;

use embedded_hal_async::delay::DelayNs;

use crate::{Clock, Reservation};

/// Where a reservation came from.
pub(super) trait Turns<A> {
    fn cancel(&self, reservation: Reservation<A>);
}

/// A reservation whose time has not come; dropped before, it is given back.
pub(super) struct Turn<'a, A, T: Turns<A>> {
    limiter: &'a T,
    reservation: Option<Reservation<A>>,
}

impl<'a, A: Copy, T: Turns<A>> Turn<'a, A, T> {
    pub(super) const fn new(limiter: &'a T, reservation: Reservation<A>) -> Self {
        Self {
            limiter,
            reservation: Some(reservation),
        }
    }

    /// Waits until the clock has reached the instant of the reservation.
    ///
    /// The clock decides, not the delay: it is read again after each pause.
    pub(super) async fn wait(mut self, clock: &impl Clock, delay: &mut impl DelayNs) {
        while let Some(reservation) = &self.reservation {
            let ticks = reservation.ready_at().saturating_sub(clock.now());
            if reservation.wait() == 0 || ticks == 0 {
                self.reservation = None;
            } else {
                pause(delay, clock.rate().duration_ceil(ticks)).await;
            }
        }
    }
}

impl<A, T: Turns<A>> Drop for Turn<'_, A, T> {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take() {
            self.limiter.cancel(reservation);
        }
    }
}

/// Pauses for at minimum this duration, in the finest unit in which it fits 32 bits; for the longest
/// that fits, 49 days, if it does not.
async fn pause(delay: &mut impl DelayNs, duration: Duration) {
    if let Ok(nanos) = u32::try_from(duration.as_nanos()) {
        delay.delay_ns(nanos).await;
    } else if let Ok(micros) = u32::try_from(duration.as_micros().saturating_add(1)) {
        delay.delay_us(micros).await;
    } else {
        let millis = duration.as_millis().saturating_add(1);
        delay
            .delay_ms(u32::try_from(millis).unwrap_or(u32::MAX))
            .await;
    }
}
