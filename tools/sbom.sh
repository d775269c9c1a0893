#!/usr/bin/env bash
# The software bill of materials of the `sfumato` command: every crate that is linked in, with version, licence and checksum, as CycloneDX JSON.
#
#   tools/sbom.sh                 prints it
#   tools/sbom.sh > sfumato.cdx.json
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-cyclonedx >/dev/null || cargo install --quiet --locked cargo-cyclonedx >&2

# The tool writes beside every manifest of the workspace: into a copy, so that nothing is left here.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z '*Cargo.toml' Cargo.lock '*.rs' | xargs -0 cp --parents -t "$copy"
(cd "$copy" && cargo cyclonedx --quiet --format json --spec-version 1.5 --describe binaries --no-build-deps --manifest-path cli/Cargo.toml)
sed "s|$copy|.|g" "$copy/cli/sfumato_bin.cdx.json"
