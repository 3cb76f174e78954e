#!/usr/bin/env bash
# Measures the Python package beside other limiters and a call that does nothing, in one run.
# Arguments go to bench.py.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bindings-python/build.sh
source "$here/../build.sh"

(cd "$here/noop" && "$python" -m maturin build --quiet --release --target-dir "$target/noop" --out "$target/wheels" >&2)

bench=$target/python-bench
[[ -d $bench ]] || python3 -m venv "$bench"
"$bench/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
"$bench/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps \
    --force-reinstall "$target"/wheels/*.whl
"$bench/bin/python" "$here/bench.py" "$@"
