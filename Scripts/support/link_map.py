#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Sums up a link map of lld by module of this package and by library: megabytes of code, and of all else in the file.

usage: link_map.py MAP
"""
import collections
import re
import sys

LINE = re.compile(r"\s*[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+(\s+)(.*)")


def part(file):
    """The library or the module that an input file belongs to."""
    library = re.search(r"([^/]+)\.a\(", file)
    module = re.search(r"/([^/]+)\.build/", file)
    return library[1] if library else module[1] if module else file.rpartition("/")[2]


def sums(lines):
    code, rest, section = collections.Counter(), collections.Counter(), ""
    for line in lines:
        found = LINE.match(line)
        if not found:
            continue
        size, depth, text = int(found[1], 16), len(found[2]), found[3]
        if depth == 1:
            section = text.strip()
        elif depth == 9 and ":(" in text and not section.startswith((".bss", ".debug", ".symtab", ".strtab")):
            (code if section == ".text" else rest)[part(text.rpartition(":(")[0])] += size
    return code, rest


if len(sys.argv) != 2:
    raise SystemExit(__doc__)
with open(sys.argv[1], errors="replace") as file:
    code, rest = sums(file)
print(f"{sum(code.values()) / 1e6:6.2f} {sum(rest.values()) / 1e6:6.2f} all: MB of code, and of other parts")
for name in sorted(code | rest, key=lambda name: -code[name] - rest[name]):
    print(f"{code[name] / 1e6:6.2f} {rest[name] / 1e6:6.2f} {name}")
