#!/usr/bin/env bash
# The stores of the Python package beside other limiters, on servers it starts. Arguments go to bench.py.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bindings-python/build.sh
source "$here/../../../../bindings-python/build.sh"

bench=$target/python-bench-stores
[[ -d $bench ]] || python3 -m venv "$bench"
"$bench/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
"$bench/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps \
    --force-reinstall "$target"/wheels/*.whl
"$bench/bin/python" "$here/bench.py" "$@"
