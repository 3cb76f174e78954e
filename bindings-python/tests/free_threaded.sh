#!/usr/bin/env bash
# Tests the Python package on a free-threaded interpreter, which is given: `free_threaded.sh python3.14t`.
# The wheel is built for that one, since these have no stable ABI yet, and what shares limiters between
# threads runs there. A module that needed the GIL would turn it on with a warning, which fails here.
set -euo pipefail

interpreter=$(command -v "${1:?usage: free_threaded.sh INTERPRETER}")
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$here/../.." && pwd)/target
environment=$target/python-free-threaded
python=$environment/bin/python

rm -rf "$environment" "$target/wheels-free-threaded"
"$interpreter" -m venv "$environment"
grep -E '^(anyio|httpx|maturin|pytest|requests|trio|typing_extensions)==' "$here/requirements.txt" \
    >"$environment/requirements.txt"
pip() { "$python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install -r "$environment/requirements.txt"
(cd "$here/.." && "$python" -m maturin build --quiet --locked --interpreter "$python" \
    --out "$target/wheels-free-threaded")
pip install --no-index --no-deps "$target"/wheels-free-threaded/*.whl

# Away from the sources, which would otherwise be found first.
cd "$environment"
is_free='import sys, tokenweir; sys.exit(sys._is_gil_enabled())'
"$python" -W error -c "$is_free" || { echo "the GIL is on" >&2 && exit 1; }
"$python" -m pytest -c "$here/../pyproject.toml" --rootdir "$here" \
    "$here"/test_{waiting_threads,waiting_async,keyed,joint,suppressed,calls,calls_steps}.py
