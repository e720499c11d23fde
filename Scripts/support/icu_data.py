#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Makes an object file with the part of Foundation's ICU data that coredata-tool uses.

ICU's data for all languages take 34 MB of a program that has Foundation linked in. The tool prints dates in ISO 8601
and numbers without a locale, so that it needs no names of months, time zones, languages, currencies and units, no
converters of old encodings, and no special orders of texts. What stays: the data of no language (normalisation,
properties of characters, time zones, plural rules, calendars, the common order of texts), the boundaries of characters
and words but for the dictionaries of languages without spaces, and English.

The object defines `tool_icu_data`. A linker that gives the symbol of Foundation's library this value (it is printed)
leaves the library's own data out, because nothing refers to them any more.

usage: icu_data.py LIBRARY OBJECT      LIBRARY is lib_FoundationICU.a; prints the library's symbol, and to standard
                                       error the sizes before and after
       icu_data.py --self-test
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

MEMBER = "icu_packaged_data.cpp.o"
LANGUAGES = {"root", "en", "en_US", "en_US_POSIX", "en_001", "en_GB", "pool", "res_index"}
# A file of the first folder that is of a language: "de.res", "zh_Hant_TW.res". Others are "plurals.res" and so on.
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z][a-z]{3})?(_[A-Z]{2}|_[0-9]{3})?(_[A-Z]+)?\.res")
# Folders of names that are only displayed, and of rules that spell numbers out.
NAMES = {"zone", "unit", "curr", "lang", "region", "rbnf", "translit"}
# Rules of network protocols for texts, characters that look alike, and old encodings.
UNUSED = {"spp", "cfu", "cnv"}
# Names of characters, distances between languages, units, and a folding for identifiers.
UNUSED_FILES = {"unames.icu", "langInfo.res", "units.res", "grammaticalFeatures.res", "nfkc_scf.nrm"}
# The boundaries of lines, and those of words and sentences in a few languages.
UNUSED_BOUNDARIES = ("line", "word_fi_sv", "sent_el")


def is_kept(name):
    """Whether the tool needs an item, by its name such as "icudt76l/curr/de.res"."""
    folder, _, file = name.partition("/")[2].rpartition("/")
    stem, _, kind = file.rpartition(".")
    if folder == "coll":
        return kind == "icu" or stem in LANGUAGES
    if folder == "brkitr":
        return kind != "dict" and not stem.startswith(UNUSED_BOUNDARIES)
    if folder in NAMES or kind in UNUSED or file in UNUSED_FILES:
        return False
    return stem in LANGUAGES or not LANGUAGE.fullmatch(file)


def items(data):
    """The header's length, and the items as pairs of name and bytes, in their order."""
    start = struct.unpack_from("<H", data, 0)[0]
    if data[12:16] != b"CmnD":
        raise SystemExit("icu_data: the data are no package of ICU (little-endian, 'CmnD')")
    count = struct.unpack_from("<I", data, start)[0]
    entries = [struct.unpack_from("<II", data, start + 4 + 8 * number) for number in range(count)]
    ends = [place for _, place in entries[1:]] + [len(data) - start]
    found = []
    for (name, place), end in zip(entries, ends):
        text = data[start + name : data.index(b"\0", start + name)].decode()
        found.append((text, data[start + place : start + end]))
    return start, found


def package(header, kept):
    """A package of ICU with the items: a table of places, the names, and the bytes, each at a multiple of 16."""
    names, places = b"", []
    table = 4 + 8 * len(kept)
    for name, _ in kept:
        places.append(table + len(names))
        names += name.encode() + b"\0"
    body, at = bytearray(), table + len(names)
    gap = -(len(header) + at) % 16
    entries = []
    body += b"\0" * gap
    at += gap
    for place, (_, content) in zip(places, kept):
        entries.append(struct.pack("<II", place, at))
        padded = content + b"\0" * (-len(content) % 16)
        body += padded
        at += len(padded)
    return header + struct.pack("<I", len(kept)) + b"".join(entries) + names + bytes(body)


def reduced(data):
    start, found = items(data)
    return package(data[:start], [item for item in found if is_kept(item[0])])


def run(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def make(library, object_file):
    with tempfile.TemporaryDirectory() as folder:
        run("ar", "x", str(pathlib.Path(library).resolve()), MEMBER, cwd=folder)
        symbol = re.search(r" [RDV] (icudt\d+_dat)$", run("nm", MEMBER, cwd=folder), re.M)
        if symbol is None:
            raise SystemExit(f"icu_data: {library} defines no data of ICU")
        run("objcopy", "-O", "binary", "--only-section=.rodata", MEMBER, "all.dat", cwd=folder)
        data = (pathlib.Path(folder) / "all.dat").read_bytes()
        small = reduced(data)
        (pathlib.Path(folder) / "small.dat").write_bytes(small)
        source = """.section .rodata
.global tool_icu_data
.type tool_icu_data, @object
.balign 16
tool_icu_data:
.incbin "small.dat"
.size tool_icu_data, .-tool_icu_data
.section .note.GNU-stack, "", @progbits
"""
        (pathlib.Path(folder) / "data.s").write_text(source)
        run("as", "-o", str(pathlib.Path(object_file).resolve()), "data.s", cwd=folder)
    print(f"ICU's data: {len(small) / 1e6:.1f} of {len(data) / 1e6:.1f} MB", file=sys.stderr)
    print(symbol[1])


def self_test():
    for name, kept in [
        ("icudt76l/root.res", True), ("icudt76l/en.res", True), ("icudt76l/de.res", False),
        ("icudt76l/zh_Hant_TW.res", False), ("icudt76l/plurals.res", True), ("icudt76l/zoneinfo64.res", True),
        ("icudt76l/coll/de.res", False), ("icudt76l/coll/ucadata.icu", True),
        ("icudt76l/curr/pool.res", False), ("icudt76l/langInfo.res", False),
        ("icudt76l/brkitr/cjdict.dict", False), ("icudt76l/brkitr/word.brk", True), ("icudt76l/ibm-1388.cnv", False),
        ("icudt76l/brkitr/line_cj.brk", False), ("icudt76l/unames.icu", False), ("icudt76l/rfc3722.spp", False),
        ("icudt76l/nfkc.nrm", True), ("icudt76l/cnvalias.icu", True),
    ]:
        if is_kept(name) != kept:
            raise SystemExit(f"icu_data: {name} is {'kept' if not kept else 'left out'}")
    header = struct.pack("<H", 32) + b"\xda\x27" + b"\0" * 8 + b"CmnD" + b"\0" * 16
    kept = [("icudt76l/a.nrm", b"123" + b"\0" * 13), ("icudt76l/en.res", b"x" * 16), ("icudt76l/fr.res", b"y" * 16)]
    whole = package(header, kept)
    if items(whole)[1] != kept or items(reduced(whole))[1] != kept[:2] or len(reduced(whole)) % 16:
        raise SystemExit("icu_data: a package is not read as it was written")


if sys.argv[1:] == ["--self-test"]:
    self_test()
elif len(sys.argv) == 3:
    make(sys.argv[1], sys.argv[2])
else:
    raise SystemExit(__doc__)
