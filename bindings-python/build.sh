#!/usr/bin/env bash
# Builds the wheel and the source distribution into target/wheels, which it empties first, with the
# tools of the virtual environment it makes in target/python. Sourcing it gives `python`, that
# environment's interpreter.
set -euo pipefail

package=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$(cd "$package/.." && pwd)/target
python=$target/python/bin/python

# One environment for building and testing; made anew when the requirements change.
stamp=$target/python/requirements
if ! cmp -s "$package/tests/requirements.txt" "$stamp"; then
    rm -rf "$target/python"
    python3 -m venv "$target/python"
    "$python" -m pip install --quiet --disable-pip-version-check -r "$package/tests/requirements.txt"
    cp "$package/tests/requirements.txt" "$stamp"
fi

# The distribution has fewer crates than the repository, so its lock file is cut down by the build, which
# `--locked` forbids: what is locked is fetched before, and offline nothing else can be taken.
(cd "$package" && cargo fetch --quiet --locked)
rm -rf "$target/wheels"
(cd "$package" && "$python" -m maturin build --quiet --offline --sdist --out "$target/wheels" >&2)
