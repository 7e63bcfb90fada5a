#!/usr/bin/env python3
"""Lane "Schema": validates JSON files against a schema (draft 2020-12).

    schema.py SCHEMA FILE_OR_FOLDER...

Folders are searched for `*.json`.
"""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

DETAILS = 20


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    schema = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)

    checked, errors = 0, []
    for path in files(map(Path, sys.argv[2:])):
        checked += 1
        try:
            document = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
        except ValueError as error:
            errors.append(f"{path.name}: {error}")
            continue
        error = best_match(validator.iter_errors(document))
        if error is not None:
            errors.append(f"{path.name}: {error.json_path}: {error.message[:300]}")

    print(f"schema: {checked} files validated, {len(errors)} wrong")
    for line in errors[:DETAILS]:
        print(f"  {line}")
    if checked == 0:
        print("schema: nothing was validated")
    return 1 if errors or checked == 0 else 0


def files(arguments):
    for path in arguments:
        yield from sorted(path.rglob("*.json")) if path.is_dir() else [path]


def refuse(constant):
    """Python reads NaN and Infinity; JSON has neither."""
    raise ValueError(f"{constant} is not JSON")


if __name__ == "__main__":
    sys.exit(main())
