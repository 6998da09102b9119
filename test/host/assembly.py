# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
"""Common code of the tests that read each function of the assembly, as built by test/host.

A test has these arguments: [SOURCES OBJECTS], other sources than the repository's, and their objects.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
SOURCES, OBJECTS = map(pathlib.Path, sys.argv[1:3] or (TOP, TOP / "test/host/build/plain/module"))


# Functions that may also use the features of another list of the tier: their name, the list, the functions
MORE_MEMBERS = (
    ("GCM", "gcm_features", ("ghash_set_key", "ghash", "gcm")),
    ("CBC with SM3", "sm3_features", ("cbc_encrypt_sm3",)),
)


def output_of(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def assembly_sources():
    return sorted([*SOURCES.glob("*.S"), *SOURCES.glob("sm3/*.S")])


def preprocessed(language, source, more):
    """A source after the preprocessor, with additional lines that use its definitions"""
    text = f'#include "{source}"\n' + "".join(f"{line}\n" for line in more)
    return output_of("cc", "-E", "-P", "-x", language, "-I", SOURCES, "-isystem", OBJECTS.parents[1] / "include",
                     "-I", TOP / "test/host/shim", "-DKBUILD_MODNAME=", "-", input=text)


def tiers_of(table):
    """
    (name, features, functions) of each tier that needs any features: once for what every CPU with the tier runs, and
    once for each list of additional features
    """
    text = preprocessed("c", table, ())
    structs = dict(re.findall(r"struct sm[34]_tier (\w+) = \{(.*?)\};", text, re.DOTALL))
    for row in structs.values():
        lists = {member: set(re.findall(r"\w+", values))
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


def split_operands(operands):
    """The operands of an instruction; an address may contain commas"""
    return re.findall(r"(?:[^,(]|\([^)]*\))+", operands.replace(" ", ""))


# Hygon's instructions, which no disassembler knows, and two known ones of the same form that replace them
STAND_INS = {0x8a: (0x0e, "pblendw", "sm4rnd"), 0x8b: (0x0f, "palignr", "sm4rk")}


def readable(path):
    """The bytes of an object, with instructions that no disassembler knows replaced by stand-ins"""
    return re.sub(rb"(?s)(\x66[\x40-\x4f]?\x0f\x3a)([\x8a\x8b])", lambda found: found[1] + bytes([STAND_INS[found[2][0]][0]]),
                  path.read_bytes())


def functions_of(source):
    """
    {function: [(mnemonic, operands, the function that they name or None)]}, in the order of their addresses. Uses LLVM's
    disassembler, because it knows the newest instructions.
    """
    functions = {}
    instructions = None
    names = {mnemonic: name for _, mnemonic, name in STAND_INS.values()}
    with tempfile.NamedTemporaryFile() as file:
        file.write(readable(OBJECTS / f"{source.relative_to(SOURCES)}.o"))
        file.flush()
        text = output_of("llvm-objdump-19", "--disassemble", "--no-show-raw-insn", "--no-leading-addr", file.name)
    for line in text.splitlines():
        line = line.split("#")[0]
        if found := re.match(r"<(\w+)>:", line):
            instructions = functions[found[1]] = []
        elif instructions is not None and line.strip():
            mnemonic, _, operands = line.strip().partition("\t")
            named = re.search(r"<(\w+)", operands)
            operands = re.sub(r"<.*>", "", operands).strip()
            mnemonic = mnemonic.strip()
            instructions.append((names.get(mnemonic, mnemonic), split_operands(operands), named and named[1]))
    return functions
