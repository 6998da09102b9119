#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
As TAP: the functions of a tier use no instruction of a CPU feature that the tier's row in sm4-fast-glue.c does not name.

On a CPU that has the feature all the same, no other test could notice. The assembler knows what an instruction needs:
it is given all that a tier's functions can reach, and told to know the row's features only.
"""
import re
import subprocess

from assembly import SOURCES, assembly_sources, functions_of, preprocessed

# How the assembler names the features that a row may name. Those of SM4 it may be too old to know.
ASSEMBLER_NAMES = {
    "AVX": "avx", "AVX2": "avx2", "AES": "aes", "VAES": "vaes", "PCLMULQDQ": "pclmul", "VPCLMULQDQ": "vpclmulqdq",
    "GFNI": "gfni", "AVX512F": "avx512f", "AVX512BW": "avx512bw", "AVX512VL": "avx512vl",
}
# The functions that also have the features of the row's gcm_features
GCM_MEMBERS = ("ghash_set_key", "ghash", "gcm_encrypt", "gcm_decrypt")
SM4_INSTRUCTION = re.compile(r"vsm4")

BRANCH = re.compile(r"call|j")

# What "endbr64" needs, which does nothing on other CPUs
BRANCH_TARGET = "ibt"


def rows():
    """
    (name, features, functions) of each tier that needs any features: once for what every CPU with the tier runs, and
    once for what GCM needs besides
    """
    glue = SOURCES / "sm4-fast-glue.c"
    names = sorted(set(re.findall(r"X86_FEATURE_(\w+)", glue.read_text())))
    text = preprocessed("c", glue, (f"@{name} X86_FEATURE_{name}" for name in names))
    feature = {value: name for name, value in re.findall(r"^@(\w+) (.*)", text, re.MULTILINE)}
    for row in re.findall(r"struct sm4_tier \w+ = \{(.*?)\};", text, re.DOTALL):
        features, gcm_features = (
            {feature[value] for value in re.findall(r"\([\d*+ ]+\)", re.search(rf"\.{member} = \{{(.*?)\}}", row, re.DOTALL)[1])}
            for member in ("features", "gcm_features"))
        name = re.search(r'\.name = "(.*?)"', row)[1]
        functions = re.findall(r"\.(\w+)[^,=]* = ([a-z_]\w*)", row)
        yield (name, features, [function for member, function in functions if member not in GCM_MEMBERS])
        yield (f"GCM on {name}", features | gcm_features,
               [function for member, function in functions if member in GCM_MEMBERS])


def reached(starts, functions):
    """All functions that these call or jump to; a tier leaves what is less than its vectors to another one's"""
    found, new = set(), set(starts)
    while new:
        found |= new
        new = {named for name in new for mnemonic, _, named in functions[name] if BRANCH.match(mnemonic)} - found
    return sorted(found)


def complaints(features, names, functions):
    """What the assembler, or who knows of SM4, says of these functions' instructions, without calls and jumps"""
    lines = [(name, f"{mnemonic} {', '.join(operands)}") for name in names for mnemonic, operands, _ in functions[name]
             if not BRANCH.match(mnemonic)]
    found = [f"{name}: {text}: needs SM4" for name, text in lines
             if SM4_INSTRUCTION.match(text) and "SM4" not in features]
    known = [line for line in lines if not SM4_INSTRUCTION.match(line[1])]
    architecture = "+".join(["generic64", BRANCH_TARGET, *(ASSEMBLER_NAMES[feature] for feature in sorted(features - {"SM4"}))])
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
    tiers = list(rows())
    print(f"1..{len(tiers)}")
    for tier, features, starts in tiers:
        missing = [f"there is no function {name}" for name in starts if name not in functions]
        found, count = (missing, 0) if missing else complaints(features, reached(starts, functions), functions)
        print(f"{'not ok' if found or not count else 'ok'} - {tier}: {count} instructions")
        for text in found[:40]:
            print(f"# {text}")


main()
