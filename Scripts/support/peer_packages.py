# Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
"""Prepares copies of packages that depend on this one: reads peers.json, edits manifests and sources."""
import json
import re
import shutil
import subprocess
from pathlib import Path

KEYS = {
    "folder": str, "products": dict, "plugins": list, "port": list, "edits": list, "removedTargets": list,
    "removedDependencies": list, "local": dict, "removedFiles": list, "skip": list, "minutes": (int, float),
    "expect": dict,
}
REQUIRED = {"folder", "products", "expect"}


class Mistake(Exception):
    """A sentence about a wrong peers.json, or about a copy that cannot be prepared."""


def read(folder):
    """The packages of FOLDER/peers.json, after a check of their keys."""
    path = folder / "peers.json"
    try:
        packages = json.loads(path.read_text())["packages"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Mistake(f"{path}: a list 'packages' is needed ({error!r})") from None
    seen = set()
    for package in packages:
        name = package.get("folder", "?")
        for key, value in package.items():
            if key not in KEYS:
                raise Mistake(f"{path}: '{name}' has an unknown key '{key}'; the keys are {', '.join(sorted(KEYS))}")
            if not isinstance(value, KEYS[key]):
                raise Mistake(f"{path}: '{key}' of '{name}' has a wrong type")
        if missing := REQUIRED - package.keys():
            raise Mistake(f"{path}: '{name}' needs '{sorted(missing)[0]}'")
        if "/" in name or name in seen or not (folder / name / "Package.swift").is_file():
            raise Mistake(f"{path}: '{name}' must name one folder beside peers.json, with a Package.swift, once")
        seen.add(name)
        expect = package["expect"]
        if set(expect) - {"passed", "skipped", "failed"} or not isinstance(expect.get("failed", {}), dict):
            raise Mistake(f"{path}: 'expect' of '{name}' has the keys passed, skipped, and failed with reasons")
    if not packages:
        raise Mistake(f"{path}: there is no package")
    return packages


def quoted(values):
    return "[" + ", ".join(json.dumps(value) for value in values) + "]"


def manifest_addition(package, root, copies):
    """Swift code at the end of a manifest. It changes `package` as the manifest has left it."""
    plugins = package.get("plugins", [])
    removed = package.get("removedDependencies", []) + list(package.get("local", {}))
    lines = [
        "", "// Added by Scripts/test-peers.",
        f"let peerProducts: [String: [String]] = {json.dumps(package['products']) if package['products'] else '[:]'}"
        .replace("{", "[").replace("}", "]"),
        f"let peerPlugins: Set<String> = {quoted(plugins)}",
        f"let peerRemoved: [String] = {quoted(removed)}",
        f"let peerTargets: Set<String> = {quoted(package.get('removedTargets', []))}",
        "package.targets.removeAll { peerTargets.contains($0.name) }",
        "package.products.removeAll { product in",
        "    let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []",
        "    return !peerTargets.isDisjoint(with: targets)",
        "}",
        "package.dependencies.removeAll { dependency in",
        "    switch dependency.kind {",
        "    case .sourceControl(let name, let location, _):",
        "        peerRemoved.contains { other in",
        "            other == name || [\"/\\(other)\", \"/\\(other).git\"].contains { location.hasSuffix($0) }",
        "        }",
        "    default: false",
        "    }",
        "}",
        f"package.dependencies.append(.package(name: \"OpenCoreData\", path: {json.dumps(str(root))}))",
    ]
    for name, folder in package.get("local", {}).items():
        path = json.dumps(str(copies / folder))
        lines.append(f"package.dependencies.append(.package(name: {json.dumps(name)}, path: {path}))")
    lines += [
        "for target in package.targets {",
        "    for product in peerProducts[target.name] ?? [] {",
        "        target.dependencies.append(.product(name: product, package: \"OpenCoreData\"))",
        "    }",
        "    if peerPlugins.contains(target.name) {",
        "        let plugin = Target.PluginUsage.plugin(name: \"CoreDataModelPlugin\", package: \"OpenCoreData\")",
        "        target.plugins = (target.plugins ?? []) + [plugin]",
        "    }",
        "}", "",
    ]
    return "\n".join(lines)


def edit(copy, package):
    for change in package.get("edits", []):
        path = copy / change["file"]
        text = path.read_text() if path.is_file() else ""
        if change["find"] not in text:
            raise Mistake(f"{package['folder']}: '{change['file']}' does not have the text {change['find']!r}")
        path.write_text(text.replace(change["find"], change["replace"]))


def prepare(package, folder, copies, root, tool, log):
    """Copies a package, and changes the copy: `coredata-tool port` first, then the edits, then the manifest."""
    copy = copies / package["folder"]
    ignored = shutil.ignore_patterns(".git", ".build", ".swiftpm", "Package.resolved")
    shutil.copytree(folder / package["folder"], copy, symlinks=True, ignore=ignored)
    for path in copy.rglob("*"):
        # A link out of the copy would let an edit reach the original.
        if path.is_symlink() and not path.resolve().is_relative_to(copies.resolve()):
            raise Mistake(f"{package['folder']}: the link '{path.relative_to(copy)}' leads out of the package")
    for path in package.get("removedFiles", []):
        target = copy / path
        if not target.exists():
            raise Mistake(f"{package['folder']}: there is no '{path}' to remove")
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    if package.get("port"):
        arguments = [str(tool), "port", "--write"] + [str(copy / path) for path in package["port"]]
        done = subprocess.run(arguments, stdout=log, stderr=subprocess.STDOUT, timeout=300, check=False)
        if done.returncode != 0:
            raise Mistake(f"{package['folder']}: coredata-tool port failed, see the log")
    edit(copy, package)
    manifest = copy / "Package.swift"
    text = manifest.read_text()
    if not re.search(r"^(let|var) package\b", text, re.M):
        raise Mistake(f"{package['folder']}: the manifest has no variable 'package'")
    for other in copy.glob("Package@swift-*.swift"):
        other.unlink()
    manifest.write_text(text + manifest_addition(package, root, copies))
    shutil.copy(root / "Package.resolved", copy / "Package.resolved")
    return copy
