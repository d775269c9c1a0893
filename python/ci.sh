#!/usr/bin/env bash
# Everything that must pass for the Python package: built as a wheel, installed into an environment of its own, and tried there.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== Python: %s\n' "$*"; }

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
# What the command is built from need not be built again.
export CARGO_TARGET_DIR="$PWD/../target"

step "formatting and clippy of the native half"
cargo fmt --check
cargo clippy --locked --quiet -- -D warnings

step "a wheel, in a fresh environment"
python3 -m venv "$home/venv"
"$home/venv/bin/pip" install --quiet maturin
"$home/venv/bin/maturin" build --quiet --locked --profile dev --out "$home/wheels"
wheel=("$home"/wheels/*.whl)
"$home/venv/bin/pip" install --quiet "${wheel[0]}[test]"

step "ruff and mypy"
"$home/venv/bin/ruff" format --check .
"$home/venv/bin/ruff" check .
"$home/venv/bin/mypy" --strict sfumato

step "tests, doc tests and pages"
# From elsewhere, so that the installed package is tried and not this folder.
tests=$PWD/tests
cd "$home"
package=$("$home/venv/bin/python" -c 'import pathlib, sfumato; print(pathlib.Path(sfumato.__file__).parent)')
SFUMATO_COMMAND="$CARGO_TARGET_DIR/debug/sfumato" "$home/venv/bin/python" -m pytest --quiet --doctest-modules \
    -c /dev/null -o "doctest_optionflags=ELLIPSIS NORMALIZE_WHITESPACE" -W "ignore:published as they stand" \
    -p no:cacheprovider "$tests" "$package"
