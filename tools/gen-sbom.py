#!/usr/bin/env python3
"""The software bill of materials as SPDX 2.3.

  tools/gen-sbom.py OUTPUT VERSION CHANGELOG "LIBRARY [VERSION]"...

The same inputs give the same bytes: the date is SOURCE_DATE_EPOCH's, else the newest of the
change log.
"""
import hashlib
import json
import os
import re
import sys
import time

# licence, and whether its code is inside of the program
LIBRARIES = {
    "zlib": ("Zlib", False), "zstd": ("BSD-3-Clause", False), "xz": ("0BSD", False),
    "json-c": ("MIT", False), "libelf": ("LGPL-3.0-or-later OR GPL-2.0-or-later", False),
    "libbpf": ("LGPL-2.1-only OR BSD-2-Clause", False),
    "libdw": ("LGPL-3.0-or-later OR GPL-2.0-or-later", False), "libtraceevent": ("LGPL-2.1-only", False),
    "libgit2": ("GPL-2.0-only WITH GCC-exception-2.0", False), "tree-sitter": ("MIT", False),
    "tree-sitter-c": ("MIT", True), "uplot": ("MIT", True), "xxhash": ("BSD-2-Clause", True), "zydis": ("MIT", False),
    "libiberty": ("LGPL-2.1-or-later AND LGPL-2.0-or-later AND GPL-2.0-or-later WITH GCC-exception-2.0", True),
}


def package(name, version, licence):
    return {"SPDXID": "SPDXRef-" + name, "name": name, **({"versionInfo": version} if version else {}),
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION"}


def date_of(changelog):
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    with open(changelog, encoding="utf-8") as f:
        found = re.search(r"\d{4}-\d{2}-\d{2}", f.read())
    return (found.group(0) if found else "1970-01-01") + "T00:00:00Z"


def main():
    output, version, changelog = sys.argv[1:4]
    packages, relations = [package("assay", version, "MIT")], []
    for word in sys.argv[4:]:
        name, _, number = word.partition(" ")
        if name not in LIBRARIES:
            sys.exit("gen-sbom: whose licence is not known: " + name)
        licence, is_inside = LIBRARIES[name]
        packages.append(package(name, number, licence))
        relations.append({"spdxElementId": "SPDXRef-assay", "relatedSpdxElement": "SPDXRef-" + name,
                          "relationshipType": "STATIC_LINK" if is_inside else "DYNAMIC_LINK"})
    relations.insert(0, {"spdxElementId": "SPDXRef-DOCUMENT", "relatedSpdxElement": "SPDXRef-assay",
                         "relationshipType": "DESCRIBES"})
    content = hashlib.sha256(json.dumps([packages, relations], sort_keys=True).encode()).hexdigest()
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": "assay-" + version, "documentNamespace": "https://spdx.org/spdxdocs/assay-%s-%s" % (version, content),
                "creationInfo": {"created": date_of(changelog), "creators": ["Tool: assay-gen-sbom"]},
                "packages": packages, "relationships": relations}
    with open(output, "w", encoding="utf-8") as f:
        json.dump(document, f, indent=1)
        f.write("\n")


main()
