#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Packs the inputs that fuzzing kept into a property list, the smallest first, and unpacks them.

usage: kept_inputs.py pack LIST FOLDER      writes the files of FOLDER, at most 64 KB of them, to LIST
       kept_inputs.py unpack LIST FOLDER    writes each input of LIST to a file of FOLDER
"""
import hashlib
import pathlib
import plistlib
import sys

MOST_BYTES = 64 * 1024


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    path, folder = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if sys.argv[1] == "unpack":
        for data in plistlib.loads(path.read_bytes()) if path.exists() else []:
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
        return
    kept, size = [], 0
    for data in sorted((file.read_bytes() for file in folder.iterdir()), key=lambda data: (len(data), data)):
        size += len(data)
        if size > MOST_BYTES:
            break
        kept.append(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(plistlib.dumps(kept, fmt=plistlib.FMT_BINARY))


if __name__ == "__main__":
    main()
