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
