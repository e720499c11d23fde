#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Writes Sources/CoreDataFoundation/Search/Tokens/SearchCharacters+Tables.swift: letters and foldings of full-text search.

The source is SQLite (public domain), whose tokenizers define the tokens of a search. The script gives each code point to
the tokenizers `unicode61 remove_diacritics 2` and `trigram` of the SQLite that Python uses, and reads the tokens back.
SQLite's tables are those of a fixed version of Unicode, so the result does not depend on the version of SQLite.

usage: Scripts/support/search_tables.py
"""
import os
import sqlite3

CODES = [code for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
PLACE = os.path.join(
    os.path.dirname(__file__), "..", "..", "Sources", "CoreDataFoundation", "Search", "Tokens", "SearchCharacters+Tables.swift")


def tokens(tokenizer, text):
    """The terms of each code point's text by their positions."""
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize='{tokenizer}')")
    database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
    database.executemany("INSERT INTO t(rowid, x) VALUES (?, ?)", ((code, text(chr(code))) for code in CODES))
    found = {code: {} for code in CODES}
    for term, row, position in database.execute("SELECT term, doc, offset FROM v"):
        found[row][position] = term
    return found


def words():
    """The letters, the marks that continue a word and leave no trace, and the foldings of letters."""
    letters, marks, folded = [], [], {}
    for code, terms in tokens("unicode61 remove_diacritics 2", lambda c: f"b{c}d {c}").items():
        if len(terms) == 1:
            assert terms[0] == "bd", (code, terms)
            marks.append(code)
        elif terms[0] != "b":
            assert terms[0] == f"b{terms[1]}d" and len(terms[1]) == 1, (code, terms)
            letters.append(code)
            if ord(terms[1]) != code:
                folded[code] = ord(terms[1])
    return letters, marks, folded


def lower_case():
    """The foldings of case."""
    folded = {}
    for code, terms in tokens("trigram", lambda c: c * 3).items():
        assert len(terms) == 1 and terms[0] == terms[0][0] * 3, (code, terms)
        if ord(terms[0][0]) != code:
            folded[code] = ord(terms[0][0])
    return folded


def ranges(codes):
    """Runs of consecutive codes as pairs of first and last."""
    found = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def foldings(folded):
    """Runs of codes with one step, 1 or 2, and one distance to their foldings."""
    found = []
    for code, other in sorted(folded.items()):
        if found:
            first, last, step, distance = found[-1]
            if distance == other - code and code - last in ((1, 2) if first == last else (step,)):
                found[-1] = (first, code, code - last, distance)
                continue
        found.append((code, code, 1, other - code))
    return found


def table(name, comment, numbers):
    lines, line = [], "       "
    for number in numbers:
        text = f" {number:#x}," if number >= 0 else f" -{-number:#x},"
        if len(line) + len(text) > 118:
            lines.append(line)
            line = "       "
        line += text
    lines.append(line)
    return f"    /// {comment}\n    static let {name}: [Int32] = [\n" + "\n".join(lines) + "\n    ]\n"


def main():
    letters, marks, folded = words()
    flat = lambda rows: [number for row in rows for number in row]
    parts = [
        table("letterRanges", "First and last code points of ranges of letters.", flat(ranges(letters))),
        table("markRanges", "First and last code points of ranges of marks that a word continues with.",
              flat(ranges(marks))),
        table("wordFoldings", "First, last, step and distance: foldings of case, without diacritics.",
              flat(foldings(folded))),
        table("caseFoldings", "First, last, step and distance: foldings of case.", flat(foldings(lower_case()))),
    ]
    with open(PLACE, "w", encoding="utf-8") as stream:
        stream.write(
            "// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.\n"
            "// The letters and foldings of SQLite's tokenizers. Written by Scripts/support/search_tables.py.\n\n"
            "// swift-format-ignore\nextension SearchCharacters {\n" + "\n".join(parts) + "}\n")


if __name__ == "__main__":
    main()
