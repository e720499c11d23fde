#!/usr/bin/env python3
# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Writes the manual page of coredata-tool from the tool's own help, so that the two never differ.

usage: man_page.py TOOL PAGE         for example man_page.py .build/release/coredata-tool coredata-tool.1
       man_page.py --self-test
"""
import json
import pathlib
import re
import subprocess
import sys


def escaped(text):
    """Text in which groff finds no request and no escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def paragraphs(text):
    """The lines of a discussion: examples with the breaks that they have, other lines filled."""
    lines, in_example = [], False
    for line in (text or "").splitlines():
        example = line.startswith(" ") or re.fullmatch(r"Examples?:", line.strip()) is not None
        if line.startswith(" ") and not in_example:
            lines.append(".EX")
        elif not line.startswith(" ") and in_example:
            lines.append(".EE")
        in_example = line.startswith(" ")
        if not line.strip():
            lines.append(".PP")
        elif example and not in_example:
            lines += [".PP", escaped(line.strip())]
        else:
            lines.append(escaped(line))
    return lines + ([".EE"] if in_example else [])


def names(argument):
    if argument["kind"] == "positional":
        return f"\\fI{escaped(argument['valueName'])}\\fR"
    dashes = {"short": "-", "long": "--", "longWithSingleDash": "-"}
    found = ", ".join(f"\\fB{escaped(dashes[name['kind']] + name['name'])}\\fR" for name in argument["names"])
    return found if argument["kind"] == "flag" else f"{found} \\fI{escaped(argument['valueName'])}\\fR"


def arguments(command, inherited):
    """The arguments as a list of groff's lines; options that every command has are described once."""
    lines = []
    for argument in command.get("arguments", []):
        if not argument["shouldDisplay"] or (argument["kind"] != "positional" and names(argument) in inherited):
            continue
        text = argument.get("abstract", "")
        if argument.get("allValues"):
            text += f" One of: {', '.join(argument['allValues'])}."
        if argument.get("defaultValue"):
            text += f" Default: {argument['defaultValue']}."
        lines += [".TP", names(argument), escaped(text.strip()) or "\\&"]
    return lines


def synopsis(command, path):
    words = [f".B {escaped(' '.join(path))}"]
    shown = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    if any(argument["kind"] != "positional" for argument in shown):
        words.append("[\\fIoptions\\fR]")
    for argument in shown:
        if argument["kind"] == "positional":
            word = names(argument) + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return words


def commands(command, path):
    """A command and those below it, with their paths; help is left out."""
    found = []
    for below in command.get("subcommands", []):
        if below["commandName"] == "help" or not below["shouldDisplay"]:
            continue
        found.append((below, [*path, below["commandName"]]))
        found += commands(below, [*path, below["commandName"]])
    return found


def page(description, version):
    root = description["command"]
    name = root["commandName"]
    common = {names(argument) for argument in root["arguments"]}
    lines = [
        f'.TH {name.upper()} 1 "" "OpenCoreData {version}" "User Commands"',
        ".SH NAME", f"{escaped(name)} \\- {escaped(root['abstract'][0].lower() + root['abstract'][1:].rstrip('.'))}",
        ".SH SYNOPSIS", f".B {escaped(name)}", "\\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]",
        ".SH DESCRIPTION", *paragraphs(root.get("discussion")),
        ".SH OPTIONS OF ALL COMMANDS", *arguments(root, set()),
        ".SH COMMANDS",
    ]
    for command, path in commands(root, [name]):
        lines += [f".SS {escaped(' '.join(path[1:]))}", escaped(command.get("abstract", "")), ".PP"]
        lines += synopsis(command, path) + [".PP"] + paragraphs(command.get("discussion"))
        lines += arguments(command, common)
    lines += [
        ".SH EXIT STATUS", "0 for a sound result, 1 for findings, 2 where the command could not run.",
        "The commands of", ".B migrate", "name other statuses in their descriptions.",
        ".SH ENVIRONMENT", ".TP", "\\fBNO_COLOR\\fR", "Where it is set, the tool prints no colours.",
        ".SH SEE ALSO", ".BR sqlite3 (1)",
    ]
    return "\n".join(tidy(lines)) + "\n"


def tidy(lines):
    """The lines without paragraphs that follow each other or a heading."""
    kept = []
    for line in lines:
        if line == ".PP" and kept and (kept[-1] == ".PP" or kept[-1].startswith((".SH", ".SS"))):
            continue
        if kept and kept[-1] == ".PP" and line.startswith((".SH", ".SS", ".TP")):
            kept.pop()
        kept.append(line)
    return kept


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def self_test():
    argument = {"kind": "option", "names": [{"kind": "long", "name": "a-b"}], "valueName": "n", "shouldDisplay": True,
                "isOptional": True, "isRepeating": False, "abstract": "Says 'a'.", "defaultValue": "1"}
    below = {"commandName": "look", "abstract": "Looks.", "shouldDisplay": True, "arguments": [argument],
             "discussion": "Example:\n  tool look \\\n      .hidden\n.dots at the start\n\nEnd."}
    text = page({"command": {"commandName": "tool", "abstract": "Does.", "shouldDisplay": True, "arguments": [],
                             "subcommands": [below]}}, "1.0.0")
    for expected in [".SS look\nLooks.\n", "\\fB\\-\\-a\\-b\\fR \\fIn\\fR\nSays 'a'. Default: 1.",
                     ".EX\n  tool look \\e\n      .hidden\n.EE\n\\&.dots at the start\n.PP\nEnd.\n"]:
        if expected not in text:
            raise SystemExit(f"man_page: the page lacks {expected!r}:\n{text}")


if sys.argv[1:] == ["--self-test"]:
    self_test()
elif len(sys.argv) == 3:
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    version = output(tool, "--version").split()[-1]
    pathlib.Path(sys.argv[2]).write_text(page(json.loads(output(tool, "--experimental-dump-help")), version))
else:
    raise SystemExit(__doc__)
