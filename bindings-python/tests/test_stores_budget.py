"""Spending a hot key in slices: in total never more than the limits have."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from fake_store import AsyncFakeStore, FakeStore, down

from tokenweir import AmountError, StoreError
from tokenweir.stores import (
    AsyncLocalBudget,
    AsyncStoredLimiter,
    LocalBudget,
    StoredLimiter,
)


def test_a_slice_is_one_operation_and_the_rest_is_given_back() -> None:
    store = FakeStore()
    limiter = StoredLimiter("1000/day", store=store)
    with LocalBudget(limiter, slice=100) as budget:
        assert all(budget.try_acquire("hot") for _ in range(250))
        assert (store.operations, budget.held("hot")) == (4, 50)
        assert budget.try_acquire("hot", 101), "above a slice, by the store"
        assert budget.held("hot") == 50
    assert limiter.peek("hot").remaining == 1000 - 250 - 101
    # Closed, every decision is the store's.
    assert budget.try_acquire("hot") and budget.held("hot") == 0


def test_all_budgets_together_grant_what_the_limits_have() -> None:
    store = FakeStore()
    budgets = [LocalBudget(StoredLimiter("1000/day", store=store), slice=7) for _ in range(4)]

    def spend(budget: LocalBudget) -> int:
        return sum(budget.try_acquire("hot") for _ in range(400))

    with ThreadPoolExecutor(8) as pool:
        granted = sum(pool.map(spend, budgets * 2))
    # What is held when nothing is left was not granted.
    assert granted + sum(budget.held("hot") for budget in budgets) == 1000
    for budget in budgets:
        budget.close()
    assert StoredLimiter("1000/day", store=store).peek("hot").remaining == 1000 - granted


def test_tasks_share_a_budget() -> None:
    async def main() -> None:
        store = AsyncFakeStore()
        limiter = AsyncStoredLimiter("300/day", store=store)
        async with AsyncLocalBudget(limiter, slice=50) as budget:
            granted = await asyncio.gather(*(budget.try_acquire("hot") for _ in range(220)))
            assert granted.count(True) == 220
            assert store.operations == 6, "the time, and five slices"
        assert (await limiter.peek("hot")).remaining == 80
        assert await budget.try_acquire("hot")

    asyncio.run(main())


def test_the_policy_decides_when_the_store_fails_and_what_is_held_is_spent() -> None:
    store = FakeStore()
    budget = LocalBudget(StoredLimiter("9/day", store=store, on_store_error="deny"), slice=3)
    assert budget.try_acquire("hot")
    store.error = down()
    assert [budget.try_acquire("hot") for _ in range(3)] == [True, True, False]
    raising = LocalBudget(StoredLimiter("9/day", store=store), slice=3)
    with pytest.raises(StoreError):
        raising.try_acquire("hot")


def test_a_slice_and_a_cost_are_at_least_1() -> None:
    limiter = StoredLimiter("9/day", store=FakeStore())
    with pytest.raises(AmountError):
        LocalBudget(limiter, slice=0)
    with pytest.raises(AmountError):
        LocalBudget(limiter, slice=3).try_acquire("hot", 0)
