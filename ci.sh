#!/usr/bin/env bash
# Everything that must pass before a change lands. `./ci.sh --full` adds the long tests and a small run of every benchmark.
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

    step "every benchmark once, small"
    cargo bench -p sfumato --locked --bench load -- --rows 20000
    cargo bench -p sfumato --locked --bench check -- --rows 20000
    cargo bench -p sfumato --locked --bench search -- --rows 30162
    cargo bench -p sfumato --locked --bench grouping -- --rows 100000
    cargo bench -p sfumato --locked --bench skyline -- --rows 100000
    cargo bench -p sfumato --locked --bench skyline_anonymize -- --rows 100000
    cargo bench -p sfumato --locked --bench skew -- --rows 100000
    cargo bench -p sfumato --locked --bench transactions -- --rows 5000
fi

step "all passed"
