#!/usr/bin/env bash
# The stores of the Python package, as the installed wheel, on real servers that the tests start.
# Arguments go to pytest.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
package=$here/../../../bindings-python
# shellcheck source=bindings-python/build.sh
source "$package/build.sh"

"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall \
    "$target"/wheels/*.whl

# Away from the sources, which would otherwise be found first.
cd "$target/python"
"$python" -m pytest -c "$package/pyproject.toml" --rootdir "$here" "$here" "$@"
