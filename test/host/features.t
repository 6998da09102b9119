#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
TAP: the functions of a tier use no instruction of a CPU feature that the tier's struct in sm4-fast-tiers.c does not name.

On a CPU that has the feature nevertheless, no other test could detect that. The assembler knows which feature an instruction
needs: it assembles all code that a tier's functions can reach, with only the features of the struct.
"""
import re
import subprocess

from assembly import SOURCES, assembly_sources, functions_of, preprocessed

# The assembler's names of CPU features. It may be too old to know those of SM4 and SM3, or not know them at all.
ASSEMBLER_NAMES = {
    "AVX": "avx", "AVX2": "avx2", "AES": "aes", "VAES": "vaes", "PCLMULQDQ": "pclmul", "VPCLMULQDQ": "vpclmulqdq",
    "GFNI": "gfni", "BMI1": "bmi", "BMI2": "bmi2", "AVX512F": "avx512f", "AVX512BW": "avx512bw", "AVX512VL": "avx512vl",
}
# Functions that may also use the features of another list of the tier: their name, the list, the functions
MORE_MEMBERS = (
    ("GCM", "gcm_features", ("ghash_set_key", "ghash", "gcm")),
    ("CBC with SM3", "sm3_features", ("cbc_encrypt_sm3",)),
)
OWN_INSTRUCTIONS = {"INTEL_SM4": re.compile(r"vsm4"), "INTEL_SM3": re.compile(r"vsm3"),
                    "CIS": re.compile(r"sm4r")}

BRANCH = re.compile(r"call|j")

# The feature of "endbr64", which does nothing on CPUs without it
BRANCH_TARGET = "ibt"


def rows(table):
    """
    (name, features, functions) of each tier that needs any features: once for what every CPU with the tier runs, and
    once for each list of additional features
    """
    names = sorted(set(re.findall(r"(?:X86|SM4)_FEATURE_\w+", table.read_text())))
    text = preprocessed("c", table, (f'@"{name}" {name}' for name in names))
    feature = {value: name for name, value in re.findall(r'^@"\w+?_FEATURE_(\w+)" (.*)', text, re.MULTILINE)}
    structs = dict(re.findall(r"struct sm[34]_tier (\w+) = \{(.*?)\};", text, re.DOTALL))
    for row in structs.values():
        lists = {member: {feature[value] for value in re.findall(r"\([\d*+ ]+\)", values)}
                 for member, values in re.findall(r"\.(\w*features) = \{(.*?)\}", row, re.DOTALL)}
        # A narrower tier without features is only a part of the tier that names it.
        if "features" not in lists:
            continue
        name = re.search(r'\.name = "(.*?)"', row)[1]
        narrower = "".join(structs[other] for other in re.findall(r"\.narrower = &(\w+)", row))
        functions = re.findall(r"\.(\w+)[^,=]* = ([a-z_]\w*)", row + narrower)
        special = {member for _, _, members in MORE_MEMBERS for member in members}
        yield (name, lists["features"], [function for member, function in functions if member not in special])
        for what, more, members in MORE_MEMBERS:
            if found := [function for member, function in functions if member in members]:
                yield f"{what} on {name}", lists["features"] | lists[more], found


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
    architecture = "+".join(["generic64", BRANCH_TARGET, *(ASSEMBLER_NAMES[feature] for feature in sorted(features - OWN_INSTRUCTIONS.keys()))])
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
    tiers = list(rows(SOURCES / "sm4-fast-tiers.c"))
    print(f"1..{len(tiers)}")
    for tier, features, starts in tiers:
        missing = [f"there is no function {name}" for name in starts if name not in functions]
        found, count = (missing, 0) if missing else complaints(features, reached(starts, functions), functions)
        print(f"{'not ok' if found or not count else 'ok'} - {tier}: {count} instructions")
        for text in found[:40]:
            print(f"# {text}")


main()
