#!/usr/bin/env bash
# Mutation testing: changes the library one spot at a time and sees whether a test notices.
#
#   tools/mutants.sh                                  criteria and verifier, with every test
#   SFUMATO_SLOWEST=2 tools/mutants.sh                without tests that take more than two seconds (20 minutes)
#   SFUMATO_AGAIN=1 tools/mutants.sh                  only those that no run in the folder has caught so far
#   tools/mutants.sh -f 'core/src/criterion/entropy*' one file; arguments are those of `cargo mutants`
#
# `cargo mutants` says what to change; tools/mutants plants all of it in one build, of which an environment variable chooses one change at a time.
# SFUMATO_MUTANTS=DIR is the folder to work in; what became of each mutant is written to `fates` there.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-mutants >/dev/null || cargo install --quiet --locked --debug cargo-mutants
if [ $# -eq 0 ]; then
    set -- -f 'core/src/criterion/**' -f core/src/release/verify.rs -f core/src/release/recompute.rs -f core/src/release/attacked.rs -f core/src/release/transactions.rs
fi
exec cargo run --quiet --release --manifest-path tools/mutants/Cargo.toml -- "$@"
