# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Turns names in code spans into links to their symbols, in comments and pages, while Scripts/docs makes the site.

Comments write `save()` for a reader of the source; on the site the same name leads to its declaration. A span becomes a
link if it names one public declaration of the module: a type, `Type.member`, or, in the comment of a type or of its
member, a member of that type or of its superclass. Overloaded names stay code.
"""
import collections
import json
import re

SPAN = re.compile(r"(?<![`\\\[])`([A-Za-z_][\w.]*(?:\([\w:]*\))?)`(?!`)")
FENCE = re.compile(r"^\s*```")


class Index:
    """The public declarations of a module by their names."""

    def __init__(self, graph):
        paths = collections.Counter(tuple(symbol["pathComponents"]) for symbol in graph["symbols"])
        self.paths = {path for path, count in paths.items() if count == 1}
        names = {symbol["identifier"]["precise"]: tuple(symbol["pathComponents"]) for symbol in graph["symbols"]}
        self.parents = {
            names[edge["source"]]: names[edge["target"]] for edge in graph["relationships"]
            if edge["kind"] == "inheritsFrom" and edge["source"] in names and edge["target"] in names}

    def path(self, name, holder):
        """The path of a declaration; nil for a name of none or of several, and for the holder's own name."""
        words, parenthesis, labels = name.partition("(")
        *outer, last = words.split(".")
        parts = (*outer, last + parenthesis + labels)
        if parts in self.paths and (len(parts) > 1 or parts[0][0].isupper()):
            return None if parts == holder else parts
        while holder:
            for depth in range(len(holder), 0, -1):
                found = (*holder[:depth], *parts)
                if found in self.paths:
                    return found
            holder = self.parents.get(holder[:1])
        return None

    def linked(self, line, holder=()):
        """The line with links; `holder` is the path of the declaration that a comment belongs to."""
        def link(match):
            path = self.path(match.group(1), holder)
            return f"``{'/'.join(path)}``" if path else match.group(0)
        return SPAN.sub(link, line)


def linked_lines(index, lines, holder=()):
    """The lines with links, but for headings and blocks of code."""
    result, is_code = [], False
    for line in lines:
        if FENCE.match(line):
            is_code = not is_code
        is_plain = is_code or FENCE.match(line) or line.startswith(("#", "    "))
        result.append(line if is_plain else index.linked(line, holder))
    return result


def link_comments(folder, module):
    """Rewrites the comments in the symbol graphs of a folder. Returns the index of the module."""
    index = Index(json.loads((folder / f"{module}.symbols.json").read_text()))
    for file in folder.glob("*.symbols.json"):
        graph = json.loads(file.read_text())
        for symbol in graph["symbols"]:
            lines = symbol.get("docComment", {}).get("lines", [])
            texts = linked_lines(index, [line["text"] for line in lines], tuple(symbol["pathComponents"]))
            for line, text in zip(lines, texts):
                line["text"] = text
        file.write_text(json.dumps(graph))
    return index
