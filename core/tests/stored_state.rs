//! The rules of stored state: what is written, how large it is, and what is refused.

use tokenweir::stored::{
    Command, Desired, Key, Outcome, StateError, Step, deciding, share_of, step, step_across,
    step_batch,
};
use tokenweir::{Bandwidth, Decision, Limit, Limits, Tokens, TokensInheritance};

const SECOND: u64 = 1_000_000_000;
/// A day in 2026, as a store's clock has it.
const NOW: u64 = 1_790_000_000 * SECOND + 123_456_789;

fn limits(text: &str) -> Limits {
    Limits::parse(text).expect("limits")
}

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).expect("positive")
}

fn check<'a>(stored: Option<&[u8]>, limits: &'a Limits, n: u64, now: u64) -> Step<'a> {
    step(
        stored,
        &Desired::new(limits),
        now,
        &Command::Check(tokens(n)),
    )
    .expect("a state")
}

fn decision(outcome: &Outcome) -> Decision {
    match outcome {
        Outcome::Decision(decision) => *decision,
        other => panic!("{other:?}"),
    }
}

/// The bytes of fresh limits of which `n` are taken.
fn stored(limits: &Limits, n: u64) -> Vec<u8> {
    check(None, limits, n, NOW).write.expect("taken").bytes
}

#[test]
fn ordinary_limits_take_at_most_8_and_24_bytes_for_each_bandwidth() {
    let ordinary = [
        "10/s",
        "100/s burst 200",
        "5/min",
        "1000/hour",
        "1000000/day",
        "30/min burst 10",
        "7/s",
        "10/500ms",
        "0.5/s",
        "1000/day aligned",
        "10000/week aligned",
        "interval 400/hour",
        "1000/day adaptive",
        "50000/s burst 100000",
        "100/s burst 200; 10000/day aligned",
        "10/s; 100/min; 1000/hour; 10000/day",
    ];
    for text in ordinary {
        let limits = limits(text);
        let most = 8 + 24 * limits.len();
        let desired = Desired::versioned(&limits, 12, TokensInheritance::AsIs);
        let mut bytes = None;
        // Instants as they fall, so that remainders and distances are long.
        for call in 0..50_u64 {
            let now = NOW + call * 98_765_431;
            let command = Command::Check(tokens(1 + call % 3));
            let step = step(bytes.as_deref(), &desired, now, &command).expect("a state");
            if let Some(write) = step.write {
                assert!(
                    write.bytes.len() <= most,
                    "{text}: {} bytes",
                    write.bytes.len()
                );
                bytes = Some(write.bytes);
            }
        }
        assert!(bytes.is_some(), "{text}: nothing was written");
    }
}

#[test]
fn a_refusal_writes_nothing() {
    let limits = limits("2/s; cycle 3/min");
    let bytes = stored(&limits, 2);
    for n in [1, 3, 1_000] {
        let step = check(Some(&bytes), &limits, n, NOW);
        assert!(!decision(&step.outcome).allowed);
        assert_eq!(step.write, None);
    }
    let step = step(
        Some(&bytes),
        &Desired::new(&limits),
        NOW,
        &Command::Peek(tokens(1)),
    );
    assert_eq!(step.expect("a state").write, None);
    // Nor does one on a key that is not there and would be full.
    assert_eq!(check(None, &limits, 4, NOW).write, None);
}

#[test]
fn a_new_entry_that_is_not_full_is_written_even_if_refused() {
    // Otherwise each call would start the wait for the first token anew.
    let limits = limits("1/s initial 0");
    let step = check(None, &limits, 1, NOW);
    assert!(!decision(&step.outcome).allowed);
    let write = step.write.expect("written");
    assert!(decision(&check(Some(&write.bytes), &limits, 1, NOW + SECOND).outcome).allowed);
    assert_eq!(
        write.time_to_live_ms, None,
        "a new one would be empty again"
    );
}

#[test]
fn time_to_live_is_the_time_to_full_rounded_up_and_at_least_1() {
    let limits = limits("1000/s");
    let first = check(None, &limits, 1, NOW);
    assert_eq!(first.write.expect("taken").time_to_live_ms, Some(1));
    let slow = self::limits("3/s; 100/day");
    let write = check(None, &slow, 1, NOW).write.expect("taken");
    // 864 s for the day's token.
    assert_eq!(write.time_to_live_ms, Some(864_000));
    let third = self::limits("3/s");
    let write = check(None, &third, 1, NOW).write.expect("taken");
    assert_eq!(write.time_to_live_ms, Some(334));
    // Gone by then or not, the next answers are the same.
    let (gone, there) = (
        check(None, &third, 3, NOW + 334_000_000),
        check(Some(&write.bytes), &third, 3, NOW + 334_000_000),
    );
    assert_eq!(decision(&gone.outcome), decision(&there.outcome));
}

#[test]
fn tokens_added_beyond_a_quota_do_not_expire() {
    let limits = limits("1/s");
    let step = step(
        None,
        &Desired::new(&limits),
        NOW,
        &Command::ForceAdd(tokens(5)),
    );
    let write = step.expect("a state").write.expect("added");
    assert_eq!(write.time_to_live_ms, None);
}

#[test]
fn a_newer_version_takes_over_and_an_older_one_is_ignored() {
    let (small, large) = (limits("api: 10/min"), limits("api: 20/min"));
    let inherit = TokensInheritance::Proportional;
    let run = |stored: Option<&[u8]>, limits, version, n| {
        let desired = Desired::versioned(limits, version, inherit);
        let step = step(stored, &desired, NOW, &Command::Check(tokens(n))).expect("a state");
        (decision(&step.outcome), step.write, step.version)
    };
    let (_, first, _) = run(None, &small, 1, 4);
    let first = first.expect("taken").bytes;
    // Refused, and still the new limits are written.
    let (decision, second, version) = run(Some(&first), &large, 2, 13);
    assert!(!decision.allowed);
    assert_eq!(
        (decision.limit, decision.remaining, version),
        (20, 12, Some(2))
    );
    let second = second.expect("the limits changed").bytes;
    let (decision, write, version) = run(Some(&second), &small, 1, 13);
    assert_eq!((decision.limit, write, version), (20, None, Some(2)));
}

#[test]
fn the_limits_in_force_keep_their_names() {
    let (stored_limits, wanted) = (limits("burst: 2/s; daily: 100/day"), limits("other: 7/s"));
    let bytes = stored(&stored_limits, 1);
    let step = check(Some(&bytes), &wanted, 5, NOW);
    assert_eq!(*step.limits, stored_limits);
    assert_eq!(step.limits.name(decision(&step.outcome).scope), "burst");
}

#[test]
fn the_epoch_changes_with_what_a_refused_caller_was_not_told() {
    let limits = limits("5/min");
    let desired = Desired::new(&limits);
    let mut bytes = stored(&limits, 3);
    let mut run = |command: Command<'_>| {
        let step = step(Some(&bytes), &desired, NOW, &command).expect("a state");
        if let Some(write) = step.write {
            bytes = write.bytes;
        }
        step.epoch
    };
    let before = run(Command::Check(tokens(1)));
    assert_eq!(run(Command::Check(tokens(5))), before);
    assert_eq!(run(Command::Refund(tokens(1))), before + 1);
    assert_eq!(run(Command::Reset), before + 2);
    assert_eq!(run(Command::ForceAdd(tokens(1))), before + 3);
}

#[test]
fn a_reservation_is_given_back_through_the_store_before_its_time() {
    let limits = limits("1/s");
    let desired = Desired::new(&limits);
    let command = Command::Reserve {
        cost: tokens(3),
        max_wait: 5 * SECOND,
    };
    let first = step(None, &desired, NOW, &command).expect("a state");
    let Outcome::Reserved(Ok(reservation)) = first.outcome else {
        panic!("{:?}", first.outcome);
    };
    assert_eq!(reservation.wait(), 2 * SECOND);
    let bytes = first.write.expect("taken").bytes;
    let cancel = Command::Cancel(&reservation);
    let early = step(Some(&bytes), &desired, NOW + 2 * SECOND - 1, &cancel).expect("a state");
    assert_eq!(early.outcome, Outcome::Cancelled(true));
    let late = step(Some(&bytes), &desired, NOW + 2 * SECOND, &cancel).expect("a state");
    assert_eq!(
        (late.outcome, late.write),
        (Outcome::Cancelled(false), None)
    );
}

#[test]
fn a_batch_is_the_same_as_its_commands_one_by_one() {
    let limits = limits("5/s; cycle 8/min");
    let desired = Desired::new(&limits);
    let commands = [3, 1, 4, 1].map(|n| Command::Check(tokens(n)));
    let batch = step_batch(None, &desired, NOW, &commands).expect("a state");
    let mut bytes: Option<Vec<u8>> = None;
    for (command, outcome) in commands.iter().zip(&batch.outcome) {
        let single = step(bytes.as_deref(), &desired, NOW, command).expect("a state");
        assert_eq!(&single.outcome, outcome);
        bytes = single.write.map(|write| write.bytes).or(bytes);
    }
    assert_eq!(batch.write.map(|write| write.bytes), bytes);
    assert_eq!(batch.consumed, 5);
}

#[test]
fn across_keys_all_pay_or_none() {
    let (user, global) = (limits("5/s"), limits("7/s"));
    let run = |stored: [Option<&[u8]>; 2], n| {
        let key = |stored, limits| Key {
            stored,
            desired: Desired::new(limits),
            cost: tokens(n),
        };
        let keys = [key(stored[0], &user), key(stored[1], &global)];
        step_across(&keys, NOW).expect("states")
    };
    let first = run([None, None], 4);
    assert!(first.iter().all(|step| decision(&step.outcome).allowed));
    let bytes: Vec<_> = first
        .iter()
        .map(|step| step.write.clone().expect("taken").bytes)
        .collect();
    // Another user, whose own limit would allow 4, meets the global one, which has 3 left.
    let second = run([None, Some(&bytes[1])], 4);
    assert!(decision(&second[0].outcome).allowed && !decision(&second[1].outcome).allowed);
    assert!(second.iter().all(|step| step.write.is_none()));
    // The one that has the least left, and the one that refused.
    assert_eq!((deciding(&first), deciding(&second)), (Some(0), Some(1)));
    assert_eq!(deciding(&[]), None);
    let error = step_across(
        &[Key {
            stored: Some(b""),
            desired: Desired::new(&user),
            cost: tokens(1),
        }],
        NOW,
    );
    let error = error.expect_err("no state");
    assert_eq!((error.index, error.code()), (0, "state_truncated"));
}

#[test]
fn bytes_that_are_no_state_are_an_error_of_their_own_kind() {
    let limits = limits("burst: 10/s; daily: cycle 100/day");
    let good = stored(&limits, 1);
    let error = |bytes: &[u8]| {
        step(Some(bytes), &Desired::new(&limits), NOW, &Command::Statuses).expect_err("no state")
    };
    assert_eq!(error(b""), StateError::Truncated { length: 0 });
    assert_eq!(error(&good[..2]).code(), "state_truncated");
    assert_eq!(error(b"{\"tokens\":3}").code(), "state_foreign");
    let newer = [&[good[0] + 1], &good[1..]].concat();
    assert_eq!(error(&newer).code(), "state_newer");
    for length in 3..good.len() {
        assert_eq!(error(&good[..length]).code(), "state_corrupt");
    }
    for index in 1..good.len() {
        for bit in 0..8 {
            let mut changed = good.clone();
            changed[index] ^= 1 << bit;
            assert_eq!(
                error(&changed).code(),
                "state_corrupt",
                "byte {index} bit {bit}"
            );
        }
    }
    assert_eq!(error(&[&good[..], &[0]].concat()).code(), "state_corrupt");
}

#[test]
fn a_state_whose_limits_were_changed_before_the_first_edge_can_be_read_again() {
    // The edge before the first lies 34 ticks before tick 0, more than the new period.
    let aligned = Bandwidth::aligned(2, 1, 43, 9).expect("in range");
    let interval = Bandwidth::interval(2, 1, 21).expect("in range");
    let [old, new] =
        [aligned, interval].map(|limit| Limits::new([Limit::bandwidth(limit)]).expect("one limit"));
    let one = Command::Check(tokens(1));
    let first = step(None, &Desired::new(&old), 0, &one).expect("a new state");
    let stored = first.write.expect("taken").bytes;
    let changed = Desired::versioned(&new, 1, TokensInheritance::AsIs);
    // A query writes the change alone.
    let second = step(Some(&stored), &changed, 0, &Command::Statuses).expect("a state");
    let stored = second.write.expect("changed").bytes;
    let third = step(Some(&stored), &changed, 0, &one).expect("a state");
    assert!(decision(&third.outcome).allowed);
}

#[test]
fn the_shares_of_all_instances_are_at_most_the_whole() {
    use core::num::NonZeroU32;

    let whole = limits(
        "fast: 100/s burst 30 initial 7; slow: 10/day; interval 400/hour; 1000/day aligned; \
         1000/week adaptive; cycle 25/min",
    );
    for instances in [1, 2, 3, 10, 25] {
        let part = share_of(&whole, NonZeroU32::new(instances).expect("not 0"));
        assert_eq!(part.len(), whole.len());
        let n = u64::from(instances);
        for (part, whole) in part.iter().zip(whole.iter()) {
            assert_eq!(part.name(), whole.name());
            assert_eq!(part.is_recurring(), whole.is_recurring());
            assert!(
                part.quota() * n <= whole.quota().max(n),
                "{part} of {whole}"
            );
            // amount / period, without dividing.
            let (ours, theirs) = (
                u128::from(part.amount() * n) * u128::from(whole.period()),
                u128::from(whole.amount()) * u128::from(part.period()),
            );
            assert!(ours <= theirs, "{part} of {whole}");
        }
    }
    let one = share_of(&whole, NonZeroU32::MIN);
    assert_eq!(one, whole);
    // More instances than tokens: one each.
    let many = share_of(
        &limits("2/s; cycle 2/s"),
        NonZeroU32::new(5).expect("not 0"),
    );
    assert_eq!(many, limits("2 per 5s burst 1; cycle 1/s"));
}
