#!/usr/bin/env bash
# Tests the Python package as users get it: the wheel, installed in an environment without the source.
# Arguments go to pytest.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bindings-python/build.sh
source "$here/../build.sh"

"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall \
    "$target"/wheels/*.whl

# Away from the sources, which would otherwise be found first.
cd "$target/python"
"$python" -m pytest -c "$here/../pyproject.toml" --rootdir "$here" "$here" "$@"
"$python" -m mypy.stubtest --allowlist "$here/stubtest-allowlist.txt" tokenweir._native
"$python" -m mypy --strict -p tokenweir
"$python" -m mypy --strict "$here"/typing
"$python" -m pyright --project "$here/../pyproject.toml" --pythonpath "$python" "$here"/typing
