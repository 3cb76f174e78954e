"""Commands on stored state: what is written, and what is refused."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tokenweir import AmountError, Limits, RateLimited, ReservationError, StateError, stored
from tokenweir.stored import Command, Desired, StoredReservation, step, step_across, step_batch

SECOND = 1_000_000_000
NOW = 1_790_000_000 * SECOND


def test_a_refusal_and_a_question_write_nothing() -> None:
    desired = Desired("2/s")
    first = step(None, desired, NOW, Command.check(2))
    assert first.outcome.allowed and first.consumed == 2
    assert first.write is not None
    for command in (Command.check(), Command.peek(), Command.statuses()):
        assert step(first.write.bytes, desired, NOW, command).write is None
    assert step(None, desired, NOW, Command.check(3)).write is None


def test_the_time_to_live_is_the_time_to_full_and_is_kept_with_a_margin() -> None:
    write = step(None, Desired("3/s"), NOW, Command.check()).write
    assert write is not None
    assert (write.time_to_live_ms, write.keep_ms) == (334, 334 + stored.MARGIN_MS)
    write = step(None, Desired("3/s"), NOW, Command.force_add(1)).write
    assert write is not None
    assert (write.time_to_live_ms, write.keep_ms) == (None, 365 * 86_400_000)


def test_stored_limits_stay_in_force_until_a_higher_version_takes_over() -> None:
    first = step(None, Desired("api: 2/s"), NOW, Command.check()).write
    assert first is not None
    kept = step(first.bytes, Desired("api: 9/s"), NOW, Command.peek())
    assert (kept.outcome.limit, kept.version, kept.write) == (2, None, None)
    newer = Desired("api: 10/s", version=1, inheritance="additive")
    taken = step(first.bytes, newer, NOW, Command.peek())
    assert (taken.outcome.remaining, taken.version) == (9, 1)
    assert taken.limits == Limits("api: 10/s")
    assert taken.write is not None, "a question writes new limits"
    older = step(taken.write.bytes, Desired("api: 2/s", version=0), NOW, Command.check())
    assert (older.outcome.limit, older.version) == (10, 1)


def test_the_epoch_changes_with_what_a_refused_caller_was_not_told() -> None:
    desired = Desired("5/min")
    taken = step(None, desired, NOW, Command.check(5))
    assert taken.write is not None
    epochs = [taken.epoch]
    for command in (Command.check(), Command.refund(), Command.reset(), Command.force_add(1)):
        epochs.append(step(taken.write.bytes, desired, NOW, command).epoch)
    assert epochs == [0, 0, 1, 1, 1]


def test_a_batch_is_its_commands_one_by_one_and_an_error_is_an_outcome() -> None:
    desired = Desired("5/s")
    commands = [
        Command.check(3),
        Command.reserve(4, max_wait=0.1),
        Command.reserve(4, max_wait=timedelta(seconds=1)),
        Command.acquire_ignoring_limits(2**63 - 1),
        Command.acquire_up_to(),
    ]
    result = step_batch(None, desired, NOW, commands)
    checked, late, reserved, overflow, rest = result.outcome
    assert checked.allowed and checked.remaining == 2
    assert isinstance(late, RateLimited) and late.code == "not_in_time"
    assert isinstance(reserved, StoredReservation)
    assert (reserved.cost, reserved.wait, reserved.ready_at_ns) == (4, 0.4, NOW + 400_000_000)
    assert isinstance(overflow, ReservationError)
    assert rest == 0 and result.consumed == 7
    assert result.write is not None
    cancel = Command.cancel(reserved)
    given = step(result.write.bytes, desired, NOW, cancel)
    assert given.outcome is True and given.write is not None
    late_cancel = step(result.write.bytes, desired, NOW + SECOND, cancel)
    assert late_cancel.outcome is False


def test_across_keys_all_pay_or_none() -> None:
    user, everybody = Desired("user: 5/s"), Desired("all: 7/s")
    steps, decided = step_across([(None, user, 4), (None, everybody, 4)], NOW)
    assert [each.outcome.allowed for each in steps] == [True, True] and decided == 0
    assert steps[1].write is not None
    steps, decided = step_across([(None, user, 4), (steps[1].write.bytes, everybody, 4)], NOW)
    assert [each.outcome.allowed for each in steps] == [True, False]
    assert (decided, steps[decided].outcome.scope) == (1, "all")
    assert [each.write for each in steps] == [None, None]
    with pytest.raises(ValueError, match="no key"):
        step_across([], NOW)


@pytest.mark.parametrize(
    ("bytes_", "code"),
    [(b"", "state_truncated"), (b"{}", "state_foreign"), (b"\xb2\x00\x00\x00", "state_newer")],
)
def test_bytes_that_are_no_state_are_an_error(bytes_: bytes, code: str) -> None:
    for call in (
        lambda: step(bytes_, Desired("1/s"), NOW, Command.check()),
        lambda: step_batch(bytes_, Desired("1/s"), NOW, [Command.check()]),
        lambda: step_across([(bytes_, Desired("1/s"), 1)], NOW),
    ):
        with pytest.raises(StateError) as caught:
            call()
        assert caught.value.code == code


def test_arguments_are_checked_where_the_command_is_made() -> None:
    with pytest.raises(AmountError) as caught:
        Command.check(0)
    assert caught.value.code == "non_positive_tokens_to_consume"
    with pytest.raises(AmountError):
        Command.refund(0)
    with pytest.raises(TypeError, match="cost"):
        Command.check("1")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Desired("1/s", version="2")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="inheritance"):
        Desired("1/s", version=2, inheritance="none")  # type: ignore[arg-type]
    assert repr(Command.reserve(3, max_wait_ns=7)) == "Command.reserve(3, max_wait_ns=7)"


def test_what_all_adapters_agree_on_is_there() -> None:
    assert "call('TIME')" in stored.COMPARE_AND_SET_LUA
    assert "tokenweir_compare_and_set" in stored.SCHEMA_SQL
    assert stored.RECHECK_MS == 1000
    assert stored.hash_slot("{api}:alice") == stored.hash_slot("{api}:all")
    assert stored.hash_slot("foo") == 12182
