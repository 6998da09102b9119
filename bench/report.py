# SPDX-License-Identifier: GPL-2.0
"""Common code of the other programs here: tables of text, calls of other programs, the machine's description, colours.

It measures nothing and depends on no library.
"""
import subprocess
import sys
from pathlib import Path

# As in library.h, each including those before it
INSTRUCTIONS = ['baseline', 'avx', 'avx2', 'gfni-avx2', 'gfni-avx512', 'sm4-avx2']

# Of tiers in pictures
COLOURS = {'ttable': '#777777', 'generic': '#777777', 'aesni-avx': '#c98a00', 'avx2': '#d55e9a', 'aesni-avx2': '#0072b2',
           'vaes-avx2': '#2aa7c4', 'gfni-avx2': '#7b3fa0', 'gfni-avx512': '#c1272d', 'sm4ni-avx2': '#11875d',
           'cis-avx': '#8a5a2b'}
MAINLINE_COLOUR = '#999999'


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


def table(title, columns, rows):
    """A table of numbers: rows are (label, numbers), None for one that is absent, no numbers at all for a heading."""
    def cell(number):
        return '-' if number is None else f'{number:.2f}' if number < 1000 else f'{number:.0f}'

    lines = [(title, columns), *((label, [cell(number) for number in numbers]) for label, numbers in rows)]
    labels = max(len(label) for label, _ in lines)
    width = max(8, *(len(text) + 2 for _, cells in lines for text in cells))
    return '\n'.join((label.ljust(labels) + ''.join(text.rjust(width) for text in cells)).rstrip()
                     for label, cells in lines) + '\n'
