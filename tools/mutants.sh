#!/usr/bin/env bash
# Mutation testing: changes the code of criteria one spot at a time and sees whether a test notices.
#
#   tools/mutants.sh                          all of core/src/criterion (hours)
#   tools/mutants.sh -f '*entropy*'           one file; arguments are those of `cargo mutants`
#   tools/mutants.sh --shard 0/10             a tenth
#   SFUMATO_SLICE=DIR tools/mutants.sh prepare  only makes the package, in a folder of your choice
#
# Layers only look down, so criteria can be built with what is below them and their auditor, without the other two thirds of the library: a mutant costs seconds instead of minutes.
# What mutates the verifier has to build everything: see docs/reliability.md.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-mutants >/dev/null || cargo install --quiet --locked --debug cargo-mutants

slice=${SFUMATO_SLICE:-$(mktemp -d)}
mkdir -p "$slice/src/plan" "$slice/tests"
layers=(error chance exact kind data candidate skew criterion audit)
for layer in "${layers[@]}"; do
    if [ -d "core/src/$layer" ]; then cp -r "core/src/$layer" "$slice/src/"; fi
    if [ -f "core/src/$layer.rs" ]; then cp "core/src/$layer.rs" "$slice/src/"; fi
done
cp core/src/plan/section.rs "$slice/src/plan/"
cp -r core/tests/support "$slice/tests/"

# The criteria's own tests, without the parts that publish.
cp core/tests/contracts.rs "$slice/tests/"
cp -r core/tests/small_world core/tests/small_world.rs "$slice/tests/"
rm "$slice/tests/small_world/releases.rs"
sed -i '/releases.rs"\]$/d; /^mod releases;/d; /^\/\/\/ Every method, form and criterion/,/^}/d' "$slice/tests/small_world.rs"

sed -n '/^\[dependencies\]/,/^\[\[/p' core/Cargo.toml | sed '$d' > "$slice/dependencies.toml"
cat > "$slice/Cargo.toml" <<TOML
[package]
name = "sfumato"
version = "0.1.0"
edition = "2024"
[lib]
doctest = false
$(cat "$slice/dependencies.toml")
[profile.dev]
opt-level = 1
debug = false
[profile.dev.package."*"]
opt-level = 2
[workspace]
TOML
{
    printf 'pub mod %s;\n' "${layers[@]}"
    echo 'pub mod plan;
pub use audit::{Audit, audit};
pub use error::{Error, Fault, Result};'
} > "$slice/src/lib.rs"
# Just enough of plans to write a requirement as text.
cat > "$slice/src/plan/mod.rs" <<'RUST'
#![allow(dead_code)]
mod section;
use crate::criterion::Requirement;
use crate::data::Schema;
use crate::error::{Error, Result};
use section::{Section, raw, text, texts};
use toml::de::DeTable;

pub fn requirement(written: &str, schema: &Schema) -> Result<Requirement> {
    let document = DeTable::parse(written).map_err(|error| Error::plan(error.message().to_string()))?;
    let section = Section { name: "[[require]]", text: written, table: document.get_ref(), line: 1 };
    let name = section.get("criterion", text)?.expect("a criterion");
    let on = section.get("on", texts)?.unwrap_or_default();
    let params: Vec<_> = section
        .table
        .iter()
        .filter(|(key, _)| !matches!(key.get_ref().as_ref(), "criterion" | "on"))
        .map(|(key, value)| (key.get_ref().as_ref(), raw(value)))
        .collect();
    Requirement::new(&name, &params, &on, schema)
}
RUST

cd "$slice"
[ "${1:-}" = prepare ] || cargo mutants --file 'src/criterion/**' --timeout 120 --output "${SFUMATO_MUTANTS:-$slice}" "$@"
