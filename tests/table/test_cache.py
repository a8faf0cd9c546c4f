"""Memory keeps what was used last, and never more than twice its limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sobremesa.table.cache import Cache

LIMIT = 10


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=300))
def test_what_is_found_is_what_was_kept_and_the_last_used_are_there(steps: list[tuple[bool, int]]) -> None:
    memory: Cache[int, str] = Cache(LIMIT)
    used: list[int] = []
    for keeps, key in steps:
        if keeps:
            memory.keep(key, f"value {key}")
        elif (found := memory.find(key)) is None:
            continue
        else:
            assert found == f"value {key}"
        used = [*used, key][-LIMIT:]
    # Not by `find`, which is a use itself and may displace others.
    assert all(key in memory.young or key in memory._old for key in used)


@given(st.lists(st.integers(1, LIMIT), min_size=1, max_size=200))
def test_it_holds_at_most_twice_its_limit(weights: list[int]) -> None:
    memory: Cache[int, int] = Cache(LIMIT)
    for key, weight in enumerate(weights):
        memory.keep(key, weight, weight)
    held = [weight for key, weight in enumerate(weights) if memory._old.get(key) or memory.young.get(key)]
    assert sum(held) <= 2 * LIMIT


def test_entry_that_is_read_often_stays() -> None:
    memory: Cache[str, int] = Cache(LIMIT)
    memory.keep("favourite", 1)
    for number in range(1000):
        memory.keep(str(number), number)
        assert memory.find("favourite") == 1
