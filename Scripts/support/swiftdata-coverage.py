#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
# Compares the symbols of the module SwiftData with the table of Apple's API: by the path and the argument labels.
"""usage: swiftdata-coverage.py TABLE.tsv SYMBOLGRAPH_DIR [--tier 1,2] [--summary]"""
import argparse
import collections
import csv
import glob
import json
import os
import re


def symbols(directory):
    found, bare = set(), set()
    for path in glob.glob(os.path.join(glob.escape(directory), "*.symbols.json")):
        for symbol in json.load(open(path, encoding="utf-8"))["symbols"]:
            parts = symbol["pathComponents"]
            found.add(".".join(parts))
            bare.add(".".join(parts[:-1] + [parts[-1].split("(")[0]]))
    return found, bare


def labels(signature, start):
    """The argument labels of the list that begins at a parenthesis."""
    depth, part, parts = 0, "", []
    for letter in signature[start:]:
        if letter in "([<{":
            depth += 1
            if depth == 1:
                continue
        if letter in ")]>}" and not part.endswith("-"):
            depth -= 1
            if depth == 0:
                break
        if letter == "," and depth == 1:
            parts.append(part)
            part = ""
        else:
            part += letter
    parts.append(part)
    return [re.split(r"[ :]", p.strip())[0] for p in parts if p.strip()]


def name(kind, signature):
    """The name with its labels; None where the row does not say it in a known way."""
    match = re.search(r"\b(init\??|subscript)\s*(<[^>]*>)?\s*\(", signature)
    if kind in ("init", "subscript") and match:
        word = match.group(1).rstrip("?")
        every = labels(signature, match.end() - 1)
        if word == "subscript":
            rest = re.match(r"\w+ \w+", signature[match.end():])
            every = [label if rest and len(signature.split("(")[1].split(":")[0].split()) > 1 else "_" for label in every]
        return f"{word}({''.join(label + ':' for label in every)})"
    match = re.search(r"\bfunc\s+`?(?:\w+\.)?`?([\w=<~]+)`?\s*(<[^>]*>)?\s*\(", signature)
    if match:
        every = labels(signature, match.end() - 1)
        if not match.group(1)[0].isalpha():
            every = ["_"] * 2
        return f"{match.group(1)}({''.join(label + ':' for label in every)})"
    match = re.search(r"\b(?:var|let|case|struct|class|enum|protocol|typealias|associatedtype)\s+(?!func)([\w.]+)", signature)
    return match.group(1) if match else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("graphs")
    parser.add_argument("--tier", default="1,2")
    parser.add_argument("--area")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    found, bare = symbols(options.graphs)
    counts, missing = collections.Counter(), []
    for row in csv.DictReader(open(options.table, encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["tier"] not in options.tier.split(",") or row["kind"] in ("conformance", "module"):
            continue
        parent, signature = row["parent"], row["signature"]
        if row["kind"] == "macro":
            match = re.search(r"macro (\w+)|#(\w+)", signature)
            own = next(filter(None, match.groups()), None)
            here = own == "Predicate" or any(path.split("(")[0] == own for path in found)
        else:
            own = name(row["kind"], signature)
            prefix = "" if parent in ("SwiftData", "CoreData", "Foundation") else parent.removeprefix("Foundation.") + "."
            paths = {prefix + own} if own else set()
            # Cases have no labels in the table. The compiler writes `==`, and graphs leave it out.
            synthesized = own is not None and own.startswith("==(") and prefix.rstrip(".") in found
            here = any(p in found or row["kind"] == "case" and p in bare for p in paths) or synthesized or bool(own) and not prefix and any(p.endswith("." + own) for p in found)
            # Foundation declares it, and `import SwiftData` brings it.
            here = here or parent == "Foundation" and "SortDescriptor" in signature
        counts["module" if here else "missing"] += 1
        if not here:
            missing.append((row["tier"], parent, signature))
    total = sum(counts.values())
    print(f"SwiftData: {counts['module']} of {total} rows of tier {options.tier}, {counts['missing']} missing")
    if not options.summary:
        for tier, parent, signature in missing:
            print(f"  {tier}  {parent}: {signature[:120]}")


main()
