# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
"""Common code of the other programs here: figures of bench/run, tables of text, calls of other programs, the machine's
description, colours.

It measures nothing and depends on no library.
"""
import collections
import datetime
import json
import subprocess
import sys
from pathlib import Path

# As in library.h, each including those before it, gfni-avx2 all but avx512
INSTRUCTIONS = ['baseline', 'avx', 'avx2', 'avx512', 'gfni-avx2', 'gfni-avx512', 'sm4-avx2']

OURS = 'sm4-fast'
PEERS = ['libgcrypt', 'mainline', 'openssl']

# Numbers of packets at once, which drivers of batch=1 process (authenc/sm4-fast-lanes.c)
ONE_BY_ONE = 0
BURST_COUNTS = [1, 2, 4, 8, 16, 32]

# As they are sold, by family and model: a hypervisor hides the number of the processor.
PROCESSORS = {
    (6, 143): 'Intel Xeon of the 4th generation (Sapphire Rapids)',
    (6, 207): 'Intel Xeon of the 5th generation (Emerald Rapids)',
    (25, 1): 'AMD EPYC 7003 (Zen 3)',
    (25, 17): 'AMD EPYC 9004 (Zen 4)',
    (26, 2): 'AMD EPYC 9005 (Zen 5)',
}

# By tier, the processors that use it, for readers who do not know tiers; docs/tiers.md has all.
PROCESSORS_OF = {
    'aesni-avx2': 'older, with AES-NI and AVX2',
    'vaes-avx2': 'AMD since 2020',
    'gfni-avx2': 'Intel Core since 2021, Xeon of 2021',
    'gfni-avx512': 'AMD since 2022, Intel Xeon since 2023',
}

# Of tiers in pictures; others are black.
COLOURS = collections.defaultdict(lambda: '#000000', {
    'ttable': '#777777', 'generic': '#777777', 'aesni-avx': '#c98a00', 'avx2': '#d55e9a', 'aesni-avx2': '#0072b2',
    'avx512': '#7fa000', 'vaes-avx2': '#2aa7c4', 'gfni-avx2': '#7b3fa0', 'gfni-avx512': '#c1272d', 'sm4ni-avx2': '#11875d',
    'cis-avx': '#8a5a2b'})
MAINLINE_COLOUR, AES_COLOUR = '#999999', '#444444'


def sizes(whole_blocks):
    """Sizes of messages in bytes: 1420 is the size of a packet in a VPN, 1408 the same in whole blocks."""
    return [16, 64, 256, 512, 1024, 1408 if whole_blocks else 1420, 4096, 16384]


def progress(text):
    print(f'... {text}', file=sys.stderr)


def run_quietly(*command):
    """The output of a program; if it fails, raises an error with its messages."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    return done.stdout


def describe_cpu():
    first_cpu = Path('/proc/cpuinfo').read_text().split('\n\n')[0]
    facts = {name.strip(): value.strip() for name, value in (line.split(':', 1) for line in first_cpu.splitlines())}
    return {'cpu': facts['model name'], 'family': int(facts['cpu family']), 'model': int(facts['model'])}


def describe_source():
    """The commit that is measured, with "-dirty" if files have been changed since, and the day"""
    top = Path(__file__).resolve().parent.parent
    try:
        commit = run_quietly('git', '-C', top, 'describe', '--always', '--dirty', '--exclude=*')
    except (RuntimeError, FileNotFoundError):
        commit = 'unknown'
    return {'commit': commit.strip(), 'date': datetime.date.today().isoformat()}


def read_results(path):
    """The results of bench/run or bench/kernel, also from a file that bench/tables has kept, with a line for all sizes"""
    data = json.loads(Path(path).read_text())
    data['results'] = [single for result in data['results'] for single in
                       ([result] if 'bytes' in result else
                        [{**result, 'bytes': int(size), 'threads': 1, 'cycles_per_byte': cycles,
                          'mb_per_s': round(data['machine']['tsc_mhz'] / cycles, 1)}
                         for size, cycles in result['cycles_per_byte'].items()])]
    return data


def processor(machine):
    return PROCESSORS.get((machine['family'], machine['model']), machine['cpu'])


def processors_of(tier):
    return PROCESSORS_OF.get(tier, tier)


def by_size(results, mode, operation):
    """{(library, tier): {bytes: result}} of a mode of bench/run, on one thread"""
    found = {}
    for result in results:
        if (result['mode'], result['op']) == (mode, operation) and result['threads'] == 1:
            found.setdefault((result['impl'], result['tier']), {})[result['bytes']] = result
    return found


def times_best_peer(found, name, size):
    """The speedup over the fastest peer on no more instructions, in what by_size() found; None if there is no such peer"""
    def rank(name):
        return INSTRUCTIONS.index(found[name][size]['instructions'])

    rivals = [found[peer][size]['cycles_per_byte'] for peer in found if peer[0] in PEERS and rank(peer) <= rank(name)]
    return min(rivals) / found[name][size]['cycles_per_byte'] if rivals else None


def burst_figures(bursts, mode):
    """{label: (library, instructions, {messages at once: cycles})}; for a peer without authenc, it is the sum of its parts."""
    by_mode = {}
    for result in bursts:
        implementation = result['impl'], result['tier'], result['instructions']
        by_mode.setdefault(result['mode'], {}).setdefault(implementation, {})[result['at_once']] = result['cycles_per_byte']
    found = {f'{library} {tier}': (library, instructions, cycles)
             for (library, tier, instructions), cycles in by_mode.get(mode, {}).items()}
    if mode == 'authenc':
        for (library, tier, instructions), cbc in by_mode.get('cbc', {}).items():
            hmac = by_mode.get('hmac-sm3', {}).get((library, tier, instructions))
            if hmac and f'{library} {tier}' not in found:
                cycles = {ONE_BY_ONE: cbc[ONE_BY_ONE] + hmac[ONE_BY_ONE]}
                found[f'{library} {tier}, cbc and hmac-sm3'] = library, instructions, cycles
    return found


def best_peer_of_bursts(found, instructions):
    """Cycles of the fastest peer on no more instructions, which has one message at a time; None if there is no such peer"""
    return min((cycles[ONE_BY_ONE] for library, its, cycles in found.values() if library in PEERS and
                INSTRUCTIONS.index(its) <= INSTRUCTIONS.index(instructions)), default=None)


def table(title, columns, rows):
    """A table of numbers: rows are (label, numbers), None for one that is absent, no numbers at all for a heading."""
    def cell(number):
        return '-' if number is None else f'{number:.2f}' if number < 1000 else f'{number:.0f}'

    lines = [(title, columns), *((label, [cell(number) for number in numbers]) for label, numbers in rows)]
    labels = max(len(label) for label, _ in lines)
    width = max(8, *(len(text) + 2 for _, cells in lines for text in cells))
    return '\n'.join((label.ljust(labels) + ''.join(text.rjust(width) for text in cells)).rstrip()
                     for label, cells in lines) + '\n'
