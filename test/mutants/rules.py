# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
"""Where and how test/mutants/run breaks the sources: a table of rules, and what finds the places that they fit.

A rule knows no file and no line, so it finds its places in whatever the sources hold. A rule may well make what does
not build, or what builds into the same object; run throws those away. One more row in RULES is one more kind of mutant.
"""
import re
import zlib
from collections import namedtuple
from dataclasses import dataclass

# kind: what it is called. languages: 'asm', 'c' or both. pattern: what has to stand in a line of code. replacements:
# what stands there instead, in turn; templates as of re.Match.expand, or functions of the match.
Rule = namedtuple('Rule', 'kind languages pattern replacements')


def flip_bit_of(digits, byte):
    """In hexadecimal; of a byte whose highest bit is set, that one, as a shuffle looks at no other, or else a low one"""
    value = int(digits, 16) >> 8 * byte & 0xff
    bit = 7 if value & 0x80 else zlib.crc32(digits.encode()) % 4
    return f'0x{int(digits, 16) ^ 1 << 8 * byte + bit:0{len(digits)}x}'


def period(digits):
    """After so many bytes a constant repeats itself, as for copies of a word of which only one is looked at."""
    return next((n for n in range(1, len(digits) + 1) if digits == digits[:2 * n] * (len(digits) // (2 * n))), len(digits))


def flip_bit(match):
    """The same bit in every run; of short numbers the lowest, as that always means something in an immediate"""
    digits = match[1]
    if len(digits) <= 2:
        return f'0x{int(digits, 16) ^ 1:02x}'
    return flip_bit_of(digits, zlib.crc32(digits.encode()) % min(period(digits), len(digits) // 2))


def flip_in_byte(byte):
    return lambda match: flip_bit_of(match[1], byte) if byte < period(match[1]) else match[0]


def one_more(match):
    return str(int(match[0]) + 1)


def next_register(match):
    return f'{match[1]}{(int(match[2]) + 1) % 4}'


def swap(kind, languages, before, after, *pairs):
    """Each word of a pair becomes the other one."""
    others = {**dict(pairs), **{b: a for a, b in pairs}}
    words = '|'.join(re.escape(word) for word in sorted(others, reverse=True))
    return Rule(kind, languages, f'{before}(?:{words}){after}', [lambda match: others[match[0]]])


MNEMONIC = r'(?<=^\t)'
BYTES = r'(?<=[$,\s*+-])(?:GROUP_BYTES\(\S+?\)|(?:[A-Z]+_)+(?:BYTES|TWEAKS|READY|COUNTER|FRAME)\b|VL\b)'
CONDITION = r'(?<=\tif \().*(?=\)$)'

RULES = [
    Rule('bit of a constant', 'asm', r'\b0x([0-9a-f]+)\b', [flip_bit]),
    Rule('bit of a constant', 'c', r'(?<!, )\b0x([0-9a-f]+)\b', [flip_bit]),    # of a row of a table, the first one
    Rule('bit of a byte of a constant', 'asm', r'\b0x([0-9a-f]{32})\b', [flip_in_byte(byte) for byte in range(16)]),

    # Assembly
    swap('neighbouring condition', 'asm', MNEMONIC, r'(?=\t)', ('jb', 'jbe'), ('ja', 'jae')),
    swap('opposite condition', 'asm', MNEMONIC, r'(?=\t)', ('jb', 'jae'), ('ja', 'jbe'), ('je', 'jne'), ('jz', 'jnz'),
         ('jc', 'jnc'), ('cmovb', 'cmovae')),
    swap('other instruction', 'asm', MNEMONIC, r'(?=\t)', ('add', 'sub'), ('adc', 'sbb'), ('shl', 'shr'),
         ('vpunpckldq', 'vpunpckhdq'), ('vpunpcklqdq', 'vpunpckhqdq'), ('vpunpckl\\size', 'vpunpckh\\size'),
         ('vpslld', 'vpsrld'), ('vpsllq', 'vpsrlq'),
         ('vpslldq', 'vpsrldq'), ('vpaddd', 'vpaddq'), ('vpand', 'vpandn'), ('vpor', 'vpand'), ('vpxor', 'vpor'),
         ('_vpxor', 'vpand'), ('vpxord', 'vpord'), ('vpsrad', 'vpsrld')),
    Rule('instruction left out', 'asm', r'^\t(?![.\\]?(?:if|else|endif|set|macro|endm|rept|endr|p2align|sm4_align_loop)\b).*[^\\]$',
         ['']),
    Rule('number one more', 'asm', r'(?<![\w%\\.#)])\d+\b', [one_more]),
    Rule('16 bytes more', 'asm', BYTES, [r'(\g<0>+16)']),
    Rule('16 bytes less', 'asm', BYTES, [r'(\g<0>-16)']),
    Rule('other register', 'asm', r'(\bT|\\(?:s|g\\\(\)|in|out|k))([0-3])\b', [next_register]),
    swap('other register', 'asm', r'(?<![\w_])', r'(?!\w)', ('SRC', 'DST'), ('COUNTER_HIGH', 'COUNTER_LOW'),
         ('OFFSET', 'TMP'), ('LOW', 'HIGH')),
    swap('other constant', 'asm', r'(?<=\w)', r'(?!\w)', ('_low', '_high'), ('_io', '_jo'), ('_LOW', '_HIGH')),
    swap('other constant', 'asm', r'(?<![\w])', r'(?=_|\b)', ('.Lin', '.Lout'), ('.Lw0', '.Lw3'), ('w0', 'w3'),
         ('W0', 'W3'), ('in_low', 'out_low'), ('in_high', 'out_high'), ('ONE_OVER', 'A_OVER'),
         ('swap_words', 'reverse_block')),
    Rule('operands swapped', 'asm', r'^(\tv(?:pshufb|punpck\w+|pandn|aesenclast|insert\w+)\t+)([^,]+), ([^,]+), ',
         [r'\1\3, \2, ']),
    Rule('operands swapped', 'asm', r'^(\t(?:sm4_load|sm4_store|sm4_copy|sub|cmp|mov|lea)\t+)([^,]+), ([^,]+)$',
         [r'\1\3, \2']),

    # C
    swap('neighbouring comparison', 'c', r'(?<= )', r'(?= )', ('<', '<='), ('>', '>=')),
    swap('opposite comparison', 'c', r'(?<= )', r'(?= )', ('==', '!=')),
    swap('other operator', 'c', r'(?<= )', r'(?= )', ('&&', '||'), ('+', '-'), ('*', '/'), ('<<', '>>'), ('+=', '-='),
         ('^', '|'), ('^=', '|='), ('?', '?:')),
    Rule('other operator', 'c', r'(?<= )%(?= )', ['/']),
    Rule('other operator', 'c', r'(?<=\w )&(?= )', ['|']),
    Rule('one off left out', 'c', r' [+-] 1\b', ['']),
    Rule('negation left out', 'c', r'!(?=\w)', ['']),
    Rule('number one more', 'c', r'(?<![\w.])\d+(?!\w)', [one_more]),
    swap('other word', 'c', r'\b', r'\b', ('true', 'false'), ('enc', 'dec'), ('src', 'dst'), ('min_t', 'max_t'),
         ('SM4_ECB', 'SM4_CTR'), ('SM4_CBC_ENCRYPT', 'SM4_CBC_DECRYPT'), ('le64', 'be64'), ('first', 'last'),
         ('whole', 'padded'), ('low', 'high')),
    Rule('error forgotten', 'c', r'(?<=\treturn )(?:err|-E\w+)(?=;)', ['0']),
    Rule('condition always true', 'c', CONDITION, ['1']),
    Rule('condition never true', 'c', CONDITION, ['0']),
    Rule('statement left out', 'c', r'(?<=\t)(?!return|static|const|struct|case|break|int|unsigned|size_t|\w+ \*?\w+[;,=])'
         r'[\w*(&+-][^;{}]*;$', [';']),
    Rule('member left out', 'c', r'(?<=\t)\.[\w.]+(?:\[\w+\])? = [^{}]+,$', ['']),
]


@dataclass(frozen=True)
class Mutant:
    """
    One change of one line. place: the function, macro or table that it is in. index: of the line, from 0. change: the
    kind, and the word that it begins with
    """
    file: str
    place: str
    index: int
    change: str
    old: str
    new: str

    @property
    def group(self):
        """What is still true of a mutant when its line is moved or reworded; a few others may share it."""
        return self.place, self.change

    def __str__(self):
        return f'{self.file}:{self.index + 1}, {self.place}: {squeeze(self.old)} -> {squeeze(self.new) or "nothing"}'


def squeeze(text):
    return ' '.join(text.split())


def first_word(text):
    return re.search(r'[^\s(;,]+', text)[0]


PLACES = [re.compile(pattern) for pattern in (
    r'^\.macro\s+(\w+)',
    r'^SYM_\w*START\w*\((?:\\\w+\\\(\))?(\w+)',
    r'^#define\s+(\w+)',
    r'^(?!#)(?:[\w*]+ )+\**(\w+)(?:\[|\(| = \{)',
    r'^(sm4_\w+)\(',
)]

# Lines that are not ours to change, change the build, or where the numbers are widths of vectors
NOT_CODE = re.compile(r'\s*$|\s*#\s*(?:include|if|ifdef|ifndef|else|elif|endif)|\s*MODULE_|\s*(?:static_assert|pr_err)\('
                      r'|\.p2align|\.set (?:VL|WIDEST)\b|\.(?:else)?if .*\bVL\b')


def code_lines(text):
    """(index, place, code, line) of each line of code, without comments at its end; others are blanks in the code"""
    bare = re.sub(r'/\*.*?\*/', lambda comment: re.sub('.', ' ', comment[0]), text, flags=re.S)
    place = 'top'
    for index, (code, line) in enumerate(zip(bare.split('\n'), text.split('\n'))):
        for pattern in PLACES:
            match = pattern.match(code)
            if match:
                place = match[1]
        code = code.rstrip()
        if not NOT_CODE.match(code):
            yield index, place, code, line


def mutants_of(file, text):
    """All mutants of one source, in the order of its lines."""
    language = 'asm' if re.search(r'\.S$|^asm/|-asm\.h$|-basis\.h$', file) else 'c'
    found = {}
    for index, place, code, line in code_lines(text):
        for rule in RULES:
            if language not in rule.languages.split():
                continue
            for match in re.finditer(rule.pattern, code):
                for replacement in rule.replacements:
                    new = replacement(match) if callable(replacement) else match.expand(replacement)
                    changed = code[:match.start()] + new + code[match.end():] + line[len(code):]
                    if changed != line:
                        change = f'{rule.kind}: {first_word(match[0])}'
                        found.setdefault((index, changed), Mutant(file, place, index, change, line, changed))
    return list(found.values())
