#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
TAP: no branch and no address of the assembly depends on a secret, on any tier, whether this CPU can run it or not.

Keys and data are in vector registers and in memory. So it is enough that no instruction moves them into a general register
or into the flags, except for a few words of memory that are not secret: then branches and addresses, which use only general
registers and flags, depend only on lengths and places. This checks each instruction of test/host's build separately; their
order does not matter. The CPU has to take the same time for all data.

SM3 uses general registers: in its functions, data is in the lower halves, with 32-bit names, and values for addresses and
branches are in whole registers. There, the order matters: the check follows the instructions in the order of the text.
secrets.c, which follows the data, detects other orders because of loops.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "host"))
from assembly import SOURCES, assembly_sources, functions_of, preprocessed  # noqa: E402

# Instructions on general registers that use only their operands and the flags. Think before you add an instruction.
SCALAR = re.compile(
    r"(mov|lea|add|adc|sub|sbb|and|or|xor|cmp|test|inc|dec|neg|not|shl|shr|sar|rol|ror|bswap|xchg|push|pop|"
    r"cmov(n?[abceszo]|[abgl]e?)|nop|bts?)[bwlq]?$|j(mp|n?[abceszo]|[abgl]e?)$|(call|ret|leave)q?$|endbr64$")
FLAGS_FROM_VECTORS = re.compile(r"v(p?test|u?comis|pcmp[ei]str)")
VECTOR = re.compile(r"%[xyz]mm\d+")
MASK = re.compile(r"%k\d")
# Functions with a mask of the blocks whose counters carry; other masks come from general registers
MASK_IS_PUBLIC = re.compile(r"_counter_rounds$")
GENERAL = re.compile(r"%(?![xyz]mm|k\d)\w+")

# The functions of operations on vectors
OPERATIONS = re.findall(r"F\((\w+), sm4_crypt_function, crypt", (SOURCES / "asm/functions.h").read_text())

# Words of memory that general registers may read: the functions, the address (as in the assembly sources), the content
PUBLIC = [
    (r"_ctr$", "(%rcx)", "the counter's upper half"),
    (r"_ctr$", "8(%rcx)", "its lower half"),
    (r"_ctr$", "CTR_PASS(%rsp)", "number of bytes of a pass"),
    (r"_gcm$", "GCM_COUNTER(%rsp)", "the counter's last word"),
    (r"_gcm$", "GCM_STATE_COUNTER+12(%rcx)", "the same, big-endian"),
    (r"_ccm_crypt$", "CCM_STATE_COUNTER+12(%rcx)", "the same for CCM"),
    (r"_gcm$", "GCM_PART(%rsp)", "the part of a message"),
    (r"_gcm$", "GCM_BYTES(%rsp)", "number of bytes that are left"),
    (r"_gcm$", "GCM_USED(%rsp)", "number of bytes to wipe"),
    (f"_({'|'.join(OPERATIONS)})$", "BULK_STATE_USED(%rsp)", "the same"),
    *((r"$", f"SM3_LANES_SRC+{8 * lane}(%rdi)", "where a message is") for lane in range(16)),
]

# Functions with SM3, with additional instructions
HASHES = re.compile(r"sm3_\w+_blocks$|_cbc_encrypt_sm3$")
SCALAR_OF_HASHES = re.compile(r"(rorx|andn)l$")
REGISTER = re.compile(r"%(?:[er]?([abcd]x|[sd]i|[sb]p)|r(\d+)d?)$")
CONDITIONAL = re.compile(r"j(?!mp)")
LEAVES_ALONE = re.compile(r"cmp|test|push|j|nop")


def symbols(source):
    """The values of symbols such as VL, the length of vectors, for each prefix of functions in a source"""
    text = source.read_text()
    symbols_of, values = {}, {"GROUPS": 0}
    for line in text.splitlines():
        if found := re.match(r"\.set (VL), (\d+)", line):
            values[found[1]] = int(found[2])
        elif found := re.match(r"sm4_begin_tier (\w+), (\d)", line):
            symbols_of[found[1]] = values | {"GROUPS": int(found[2])}
        elif found := re.match(r"sm4_chain_functions (\w+)|sm3_lanes_function (\w+)", line):
            symbols_of.setdefault(found[1] or found[2], dict(values))
    return symbols_of


def public_places(source):
    """(function, offset, base) -> row of PUBLIC, with the offsets that the preprocessor finds in the source"""
    expressions = re.findall(r"^@(\d+) (.*)", preprocessed("assembler-with-cpp", source, (
        f"@{row} {place.split('(')[0] or 0}" for row, (_, place, _) in enumerate(PUBLIC))), re.MULTILINE)
    places = {}
    for prefix, values in symbols(source).items():
        for row, expression in expressions:
            pattern, place, _ = PUBLIC[int(row)]
            if not re.search("CTR|GCM|BULK_STATE|CCM|LANES", expression):
                offset = eval(expression.replace("/", "//"), values)  # in integers, as the assembler
                places[re.compile(prefix + pattern), offset, place.split("(")[1]] = int(row)
    return places


def complaint(function, mnemonic, operands, places, used):
    """The complaint about an instruction, or None"""
    registers = [operand for operand in operands if "(" not in operand]
    memory = next((operand for operand in operands if "(" in operand), "")
    if VECTOR.search(memory):
        return "an address comes from a vector register"
    if mnemonic.startswith("kmov") and GENERAL.match(operands[0]) and MASK.match(operands[1]):
        return None
    if MASK.match(operands[-1] if operands else "") and not MASK_IS_PUBLIC.search(function):
        return "a mask may come from a secret"
    if FLAGS_FROM_VECTORS.match(mnemonic):
        return "the flags come from a vector register"
    if mnemonic.startswith(("v", "sm4r")):
        if registers and registers[-1] == operands[-1] and GENERAL.match(registers[-1]):
            return "a general register comes from a vector register"
        return None
    if not SCALAR.match(mnemonic) or any(map(VECTOR.search, operands)):
        return "this test does not know the instruction"
    is_store = mnemonic.startswith("mov") and memory == operands[-1]
    if not memory or is_store or mnemonic.startswith(("lea", "nop")):
        return None
    found = re.match(r"(-?0x[0-9a-f]+|)\((.*)", memory)
    for (pattern, offset, base), row in places.items():
        if found and pattern.match(function) and base == found[2] and offset == int(found[1] or "0", 16):
            used.add(row)
            return None
    return "general registers or flags come from memory that is not known to be public"


def whole_register(name):
    """%eax and %rax are the same register, and so are %r8d and %r8; None for other registers."""
    found = REGISTER.match(name)
    return found and (found[1] or found[2])


def hash_complaint(mnemonic, operands, before, data):
    """The same in functions with SM3, after the previous instruction; data has the registers that hold data, and is updated"""
    registers = [whole_register(operand) for operand in operands if "(" not in operand]
    address = {whole_register(name) for operand in operands if "(" in operand for name in GENERAL.findall(operand)
               if mnemonic != "leal" and not mnemonic.startswith("nop")}
    if mnemonic.startswith("v"):
        known = complaint("", mnemonic, operands, {}, set())
        return known or ("an address may come from data" if address & data else None)
    if not SCALAR.match(mnemonic) and not SCALAR_OF_HASHES.match(mnemonic):
        return "this test does not know the instruction"
    if address & data:
        return "an address may come from data"
    if CONDITIONAL.match(mnemonic) and not before.endswith("q"):
        return "a branch may come from data"
    if mnemonic.endswith("q") and not mnemonic.startswith(("push", "pop", "call", "ret")) and set(registers) & data - {
            registers[-1] if registers and mnemonic.startswith(("mov", "lea")) else None}:
        return "data in a whole register"
    if registers and "(" not in operands[-1] and not LEAVES_ALONE.match(mnemonic):
        (data.add if mnemonic.endswith("l") else data.discard)(registers[-1])
    return None


def check(source, used):
    """All complaints about the functions of a source, and the number of instructions"""
    places = public_places(source)
    complaints, count = [], 0
    for function, instructions in functions_of(source).items():
        count += len(instructions)
        data, before = set(), ""
        for mnemonic, operands, _ in instructions:
            if HASHES.search(function):
                problem = hash_complaint(mnemonic, operands, before, data)
            else:
                problem = complaint(function, mnemonic, operands, places, used)
            if problem:
                complaints.append(f"{function}: {mnemonic} {', '.join(operands)}: {problem}")
            before = mnemonic
    return complaints, count


def main():
    sources = assembly_sources()
    used = set()
    print(f"1..{len(sources) + 1}")
    for source in sources:
        complaints, count = check(source, used)
        print(f"{'not ok' if complaints or not count else 'ok'} - {source.name}, {count} instructions")
        for text in complaints[:40]:
            print("# " + text)
    unused = set(range(len(PUBLIC))) - used
    print(f"{'not ok' if unused else 'ok'} - all memory that is known to be public is used")
    for row in unused:
        print(f"# {PUBLIC[row][1]}, {PUBLIC[row][2]}")


sys.exit(main())
