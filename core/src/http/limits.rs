//! What the limits of a limiter announce, and how they stand at a reply.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Policy, PolicyError, Quota};
use crate::{Decision, Limit, LimiterState, Limits, Refill, Rule, Tokens, Wait, arith};

impl Policy {
    /// A limit as it is announced: its quota in the time in which all of that comes back.
    ///
    /// It is called by its name, or else by its text; after the `scope`, where there is one, which
    /// tells the limits of several limiters apart.
    ///
    /// ```
    /// use tokenweir::http::Policy;
    ///
    /// let policy = Policy::of_limit(&"100/s burst 200".parse()?, "user")?;
    /// assert_eq!(policy.name(), "user 100/s burst 200");
    /// assert_eq!((policy.quota(), policy.window_seconds()), (200, Some(2)));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PolicyError::NameCharacter`] if the name or the scope has anything but printable ASCII.
    pub fn of_limit(limit: &Limit, scope: &str) -> Result<Self, PolicyError> {
        let name = limit.name().map_or_else(|| limit.to_string(), String::from);
        let name = match scope {
            "" => name,
            scope => format!("{scope} {name}"),
        };
        Self::new(&name, limit.quota())?.with_window(window(limit))
    }
}

/// Each limit as it is announced, see [`Policy::of_limit`].
///
/// # Errors
///
/// As [`Policy::of_limit`].
pub fn policies(limits: &Limits, scope: &str) -> Result<Vec<Policy>, PolicyError> {
    let policies = limits.iter().map(|limit| Policy::of_limit(limit, scope));
    policies.collect()
}

/// How each limit stands after a decision about `cost`, for the [`fields`](super::fields) and the
/// [`problem`](super::problem) of the reply. The `policies` are those of [`policies`] for the same
/// limits.
///
/// `decided` is false where several limiters were asked at once and `decision` is that of another
/// one. Of a refusal by these limits the one that decided says the wait of the decision, whatever
/// others have taken or given back since.
///
/// ```
/// use tokenweir::http::{Style, fields, policies, problem, quotas};
/// use tokenweir::{LimiterState, Limits, Tokens};
///
/// let limits = Limits::parse("burst: 10/s; 100/h")?;
/// let (policies, cost) = (policies(&limits, "")?, Tokens::new(10)?);
/// let mut state = LimiterState::new(&limits, 0);
/// let _ = state.check(&limits, cost, 0);
///
/// // 40 ms later nothing is there yet of the first.
/// let now = 40_000_000;
/// let refused = state.check(&limits, Tokens::ONE, now);
/// let quotas = quotas(&policies, (&limits, &state), Tokens::ONE, &refused, true, now);
/// let sent = fields(Style::Draft, &quotas);
/// assert_eq!(sent[0].value, r#""burst";q=10;w=1, "100/h";q=100;w=3600"#);
/// assert_eq!(sent[1].value, r#""burst";r=0;t=1, "100/h";r=90;t=36"#);
/// assert_eq!((sent[2].name, &*sent[2].value), ("Retry-After", "1"));
/// assert!(problem(&quotas, None).ends_with(r#""violated-policies":["burst"]}"#));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[must_use]
pub fn quotas<'p>(
    policies: &'p [Policy],
    (limits, state): (&Limits, &LimiterState),
    cost: Tokens,
    decision: &Decision,
    decided: bool,
    now: u64,
) -> Vec<Quota<'p>> {
    let standings = standings((limits, state), cost, decision, decided, now);
    let quotas = policies.iter().zip(standings);
    quotas
        .map(|(policy, standing)| {
            Quota::new(policy, standing.remaining, standing.reset)
                .with_retry_after(standing.retry_after)
                .with_effective_window(standing.effective_window)
        })
        .collect()
}

/// How a limit stands after a decision: a [`Quota`] without its policy. Waits are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// What is left, rounded down.
    pub remaining: u64,
    /// How long until all is back.
    pub reset: Wait,
    /// How long until this limit would grant the cost, if it refused it.
    pub retry_after: Wait,
    /// How long until more than what is left is there; [`Wait::NONE`] where no more fits.
    pub effective_window: Wait,
}

/// As [`quotas`], without the policies, in the order of the limits: for callers who announce them
/// elsewhere.
pub fn standings<'s>(
    (limits, state): (&'s Limits, &'s LimiterState),
    cost: Tokens,
    decision: &Decision,
    decided: bool,
    now: u64,
) -> impl Iterator<Item = Standing> + 's {
    let &Decision {
        allowed,
        scope: decisive,
        retry_after,
        ..
    } = decision;
    let parts = limits.parts(state.slots()).enumerate();
    parts.map(move |(scope, part)| {
        let remaining = u64::try_from(part.available(now)).unwrap_or(0);
        // Full, nothing more can come.
        let effective_window = match Tokens::new(remaining.saturating_add(1)) {
            Ok(more) if remaining < part.quota() => part.wait(more, now),
            _ => Wait::NONE,
        };
        let retry_after = match allowed {
            true => Wait::NONE,
            false if decided && scope == decisive => retry_after,
            false => part.wait(cost, now),
        };
        Standing {
            remaining,
            reset: part.time_to_full(now),
            retry_after,
            effective_window,
        }
    })
}

impl<'p> Quota<'p> {
    /// How the limit that decided stands, where no more is known than the decision, as of limits in a
    /// store; `policies` are those of [`policies`]. `None` if there is no limit.
    #[must_use]
    pub fn of_decision(policies: &'p [Policy], decision: &Decision) -> Option<Self> {
        let policy = policies.get(decision.scope)?;
        let quota = Self::new(policy, decision.remaining, decision.reset_after);
        Some(quota.with_retry_after(decision.retry_after))
    }
}

/// The time in which the whole quota of a limit comes back, in nanoseconds rounded up, at most
/// `u64::MAX`.
///
/// ```
/// use tokenweir::http::window;
///
/// assert_eq!(window(&"100/s burst 150".parse()?), 1_500_000_000);
/// assert_eq!(window(&"interval 100/s burst 150".parse()?), 2_000_000_000);
/// # Ok::<(), tokenweir::LimitSyntaxError>(())
/// ```
#[must_use]
pub fn window(limit: &Limit) -> u64 {
    let (quota, amount, period) = (limit.quota(), limit.amount(), limit.period());
    let window = match limit.rule() {
        Rule::Bandwidth(bandwidth) if bandwidth.refill() != Refill::Greedy => {
            arith::mul(quota.div_ceil(amount.max(1)), period)
        }
        // A cycle's quota is its amount.
        _ => arith::mul(quota, period).div_ceil(u128::from(amount.max(1))),
    };
    u64::try_from(window).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(limit: &str) -> (u64, Option<u64>) {
        let policy = Policy::of_limit(&limit.parse().unwrap(), "").unwrap();
        (policy.quota(), policy.window_seconds())
    }

    #[test]
    fn the_window_is_the_time_in_which_the_quota_comes_back() {
        assert_eq!(announced("10/min"), (10, Some(60)));
        assert_eq!(announced("10/min burst 15"), (15, Some(90)));
        assert_eq!(announced("10/min burst 1"), (1, Some(6)));
        assert_eq!(announced("interval 10/min burst 15"), (15, Some(120)));
        assert_eq!(announced("cycle 5/100ms"), (5, Some(1)));
        assert_eq!(
            announced("1/5000w burst 9223372036854775807"),
            (
                i64::MAX.cast_unsigned(),
                Some(u64::MAX.div_ceil(1_000_000_000))
            )
        );
    }

    #[test]
    fn a_name_that_no_field_can_say_is_an_error() {
        let limit = "\"größe\": 10/s".parse().unwrap();
        let error = Policy::of_limit(&limit, "").unwrap_err();
        assert_eq!(error.code(), "policy_name_character");
    }

    #[test]
    fn of_a_refusal_each_limit_says_what_it_would_say_itself() {
        let limits = Limits::parse("2/s; 10/min; 3/h").unwrap();
        let policies = policies(&limits, "").unwrap();
        let mut state = LimiterState::new(&limits, 0);
        let two = Tokens::new(2).unwrap();
        let granted = state.check(&limits, two, 0);
        let of = |decision: &Decision, decided| {
            let quotas = quotas(&policies, (&limits, &state), two, decision, decided, 0);
            quotas.iter().map(Quota::retry_after).collect::<Vec<_>>()
        };
        assert_eq!(of(&granted, true), [Wait::NONE; 3]);

        let refused = state.peek(&limits, two, 0);
        let waits = [
            Wait::Ticks(1_000_000_000),
            Wait::NONE,
            Wait::Ticks(1_200_000_000_000),
        ];
        assert_eq!(of(&refused, true), waits);
        // Where a third limiter decided.
        assert_eq!(of(&refused, false), waits);
        // Where somebody gave back in between, the reply still is the refusal it was.
        let earlier = Decision {
            retry_after: Wait::Ticks(7),
            ..refused
        };
        assert_eq!(of(&earlier, true)[2], Wait::Ticks(7));

        let known = Quota::of_decision(&policies, &refused).unwrap();
        assert_eq!(known.policy().name(), "3/h");
        assert_eq!(known.retry_after(), waits[2]);
    }
}
