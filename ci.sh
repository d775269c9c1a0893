#!/usr/bin/env bash
# Everything that must pass before a change lands. `./ci.sh --full` adds a check of the dependencies and a small run of every experiment and measurement.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }

step "formatting"
cargo fmt --all --check

step "clippy, warnings denied"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "documentation, warnings denied"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

step "unit, integration, architecture and doc tests"
cargo test --workspace --locked

if [ "${1:-}" = "--full" ]; then
    step "dependencies: licences, duplicates, sources, known defects"
    # Without optimization it is built in a third of the time.
    command -v cargo-deny >/dev/null || cargo install --quiet --locked --debug cargo-deny@0.20.2
    cargo deny --locked check licenses bans sources
    if git ls-remote --quiet --heads https://github.com/RustSec/advisory-db main >/dev/null 2>&1; then
        cargo deny --locked check advisories
    else
        echo "left out: known defects of dependencies, because the RustSec database cannot be reached from here"
    fi

    step "the Python package"
    cargo deny --locked --manifest-path python/Cargo.toml --config deny.toml check licenses sources
    ./python/ci.sh

    step "every experiment and measurement once, small"
    pages=$(mktemp -d)
    cargo run --release --locked -p sfumato-reproduce -- all --quick --out "$pages"
    SFUMATO_PAGES="$pages" cargo test -p sfumato-reproduce --locked --test suite pages
    rm -rf "$pages"
fi

step "all passed"
