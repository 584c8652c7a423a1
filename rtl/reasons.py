"""Files of reasons beside the scripts that want them: a line each, fields between ` | `, the last of
which is the reason."""

import sys


def read(paths, form):
    """The fields of each line of these files, as many as those of a form like `FILE | LINE | REASON`."""
    for path in paths:
        yield from read_file(path, form)


def read_file(path, form):
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split(" | ")]
            if len(fields) != len(form.split(" | ")):
                sys.exit(f"{path}:{number}: must be {form}")
            yield fields
