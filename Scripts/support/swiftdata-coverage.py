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
import pathlib
import re


def symbols(directory):
    found, bare = set(), set()
    for path in glob.glob(os.path.join(glob.escape(directory), "*.symbols.json")):
        for symbol in json.load(open(path, encoding="utf-8"))["symbols"]:
            parts = symbol["pathComponents"]
            found.add(".".join(parts))
            bare.add(".".join(parts[:-1] + [parts[-1].split("(")[0]]))
    return found, bare


def parameters(signature, start):
    """The parameters of the list that begins at a parenthesis, each as text."""
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
    return [p.strip() for p in parts if p.strip()]


def label(parameter, is_subscript=False):
    """The argument label. In a subscript only a name before the parameter's own is one."""
    words = parameter.split(":")[0].split()
    return "_" if is_subscript and len(words) == 1 else words[0]


def name(kind, signature):
    """The name with its labels; None where the row does not say it in a known way."""
    match = re.search(r"\b(init\??|subscript)\s*(<[^>]*>)?\s*\(", signature)
    if kind in ("init", "subscript") and match:
        word = match.group(1).rstrip("?")
        every = [label(part, word == "subscript") for part in parameters(signature, match.end() - 1)]
        return f"{word}({''.join(text + ':' for text in every)})"
    match = re.search(r"\bfunc\s+`?(?:\w+\.)?`?([\w=<~]+)`?\s*(<[^>]*>)?\s*\(", signature)
    if match:
        every = [label(part) for part in parameters(signature, match.end() - 1)]
        if not match.group(1)[0].isalpha():
            every = ["_"] * 2
        return f"{match.group(1)}({''.join(text + ':' for text in every)})"
    match = re.search(r"\b(?:var|let|case|struct|class|enum|protocol|typealias|associatedtype)\s+(?!func)([\w.]+)", signature)
    return match.group(1) if match else None


class Macros:
    """The macros in the source: graphs leave out names that begin with an underscore."""

    def __init__(self):
        root = pathlib.Path(__file__).resolve().parent.parent.parent
        text = (root / "Sources/SwiftData/Macros.swift").read_text(encoding="utf-8")
        # Each with its attributes, which name the members that it writes.
        self.attributes = {
            match.group(2): match.group(1)
            for match in re.finditer(r"((?:^@[^\n]*\n)*)^public macro (\w+)", text, re.MULTILINE)
        }

    def writes(self, macro, member):
        return f"named({member})" in self.attributes.get(macro, "")


def is_macro(signature, found, macros):
    match = re.search(r"macro (\w+)|#(\w+)", signature)
    own = next(filter(None, match.groups()), None)
    # Foundation declares it, and `import SwiftData` brings it.
    return own == "Predicate" or own in macros.attributes or any(path.split("(")[0] == own for path in found)


def is_declared(row, found, bare, macros):
    """Whether a row of another kind than macros is in the module."""
    parent, signature = row["parent"], row["signature"]
    nested = re.fullmatch(r"of (\w+)", row["note"] or "")
    if nested:
        parent += "." + nested.group(1)
    prefix = "" if parent in ("SwiftData", "CoreData", "Foundation") else parent.removeprefix("Foundation.") + "."
    several = re.fullmatch(r"static func (\w+(?:, \w+)+)", signature)
    if several:
        return all(prefix + each in bare for each in several.group(1).split(", "))
    if row["note"] == "written by the macro":
        return macros.writes(parent, row["kind"])
    # Foundation declares it, and `import SwiftData` brings it.
    if parent == "Foundation" and "SortDescriptor" in signature:
        return True
    own = name(row["kind"], signature)
    if not own:
        return False
    # Cases have no labels in the table.
    if prefix + own in found or row["kind"] == "case" and prefix + own in bare:
        return True
    # The compiler writes `==`, and graphs leave it out.
    if own.startswith("==(") and prefix.rstrip(".") in found:
        return True
    return not prefix and any(path.endswith("." + own) for path in found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("graphs")
    parser.add_argument("--tier", default="1,2")
    parser.add_argument("--area")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    found, bare = symbols(options.graphs)
    macros = Macros()
    counts, missing = collections.Counter(), []
    for row in csv.DictReader(open(options.table, encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["tier"] not in options.tier.split(",") or row["kind"] in ("conformance", "module"):
            continue
        parent, signature = row["parent"], row["signature"]
        here = is_macro(signature, found, macros) if row["kind"] == "macro" else is_declared(row, found, bare, macros)
        counts["module" if here else "missing"] += 1
        if not here:
            missing.append((row["tier"], parent, signature))
    total = sum(counts.values())
    print(f"SwiftData: {counts['module']} of {total} rows of tier {options.tier}, {counts['missing']} missing")
    if not options.summary:
        for tier, parent, signature in missing:
            print(f"  {tier}  {parent}: {signature[:120]}")


main()
