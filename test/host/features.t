#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
TAP: the functions of a tier use no instruction of a CPU feature that the tier's struct in sm4-fast-tiers.c does not name.

On a CPU that has the feature nevertheless, no other test could detect that. The assembler knows which feature an instruction
needs: it assembles all code that a tier's functions can reach, with only the features of the struct.
"""
import re
import subprocess

from assembly import SOURCES, assembly_sources, functions_of, tiers_of

# The assembler's names of CPU features, where the flags in /proc/cpuinfo are others
ASSEMBLER_NAMES = {"pclmulqdq": "pclmul", "bmi1": "bmi"}
# Instructions that the assembler does not know, or only a new one
OWN_INSTRUCTIONS = {"sm4": re.compile(r"vsm4"), "sm3": re.compile(r"vsm3"), "hygon_sm4": re.compile(r"sm4r")}

BRANCH = re.compile(r"call|j")

# The feature of "endbr64", which does nothing on CPUs without it
BRANCH_TARGET = "ibt"


def reached(starts, functions):
    """All functions that these call or jump to; a tier calls another tier's for texts shorter than its vectors"""
    found, new = set(), set(starts)
    while new:
        found |= new
        new = {named for name in new for mnemonic, _, named in functions[name] if BRANCH.match(mnemonic)} - found
    return sorted(found)


def complaints(features, names, functions):
    """Complaints about these functions' instructions, except calls and jumps, by the assembler or by our table"""
    lines = [(name, f"{mnemonic} {', '.join(operands)}") for name in names for mnemonic, operands, _ in functions[name]
             if not BRANCH.match(mnemonic)]
    found = [f"{name}: {text}: needs {feature}" for name, text in lines for feature, own in OWN_INSTRUCTIONS.items()
             if own.match(text) and feature not in features]
    known = [line for line in lines if not any(own.match(line[1]) for own in OWN_INSTRUCTIONS.values())]
    architecture = "+".join(["generic64", BRANCH_TARGET, *(ASSEMBLER_NAMES.get(feature, feature) for feature in
                                                           sorted(features - OWN_INSTRUCTIONS.keys()))])
    result = subprocess.run(["as", f"-march={architecture}", "-o", "/dev/null", "-"], text=True, check=False,
                            stderr=subprocess.PIPE, input="".join(f"{text}\n" for _, text in known))
    for number, message in re.findall(r":(\d+): Error: (.*)", result.stderr):
        found.append(": ".join([*known[int(number) - 1], message]))
    if result.returncode and not found:
        found = result.stderr.splitlines()
    return found, len(lines)


def main():
    functions = {}
    for source in assembly_sources():
        functions |= functions_of(source)
    tiers = list(tiers_of(SOURCES / "sm4-fast-tiers.c"))
    print(f"1..{len(tiers) + 1}")
    for tier, features, starts in tiers:
        missing = [f"there is no function {name}" for name in starts if name not in functions]
        found, count = (missing, 0) if missing else complaints(features, reached(starts, functions), functions)
        print(f"{'not ok' if found or not count else 'ok'} - {tier}: {count} instructions")
        for text in found[:40]:
            print(f"# {text}")
    # The numbers are the kernel's, and a flag is the name of its number in lower case.
    flags = re.findall(r"^\t(\w+) = X86_FEATURE_(\w+),", (SOURCES / "sm4-fast-tiers.c").read_text(), re.MULTILINE)
    wrong = [flag for flag, feature in flags if flag != feature.lower()]
    print(f"{'not ok' if wrong or not flags else 'ok'} - {len(flags)} flags have the numbers of the features that they name")
    for flag in wrong:
        print(f"# {flag}")


main()
