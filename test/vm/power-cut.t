#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""test/vm/power-cut.t KERNEL CUTS

That nothing is lost when the power fails, as TAP. A virtual machine with one of Debian's kernels (6.1 or later)
writes to two LUKS2 volumes, sm4-xts and gcm(sm4), and says which writes have been acknowledged: they were synchronous,
and have returned. At a random moment its power is cut: QEMU is killed, and so is its disk, which forgets what it was
not told to flush. The next machine reads every sector. A sector must be of the last write to it that was acknowledged,
or of one that was begun and had not returned; with gcm(sm4), reading it may be an error instead, if there was such a
write. All that is done CUTS times. After each second one, the power is cut once more while gcm(sm4) is opened, which
replays its journal.

In the end some bits are flipped on the disks. That must be noticed: by gcm(sm4) in the kernel, and for sm4-xts, where
the kernel cannot, by what judges the sectors here.

The volumes are made, written and read by test/vm/guest/power-cut and numbered-sectors.c, where the lines are explained
that are read here. Before the first cut, fio verifies each volume without any.
"""
import fcntl
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
VOLUMES = ['xts', 'gcm']
SUITE_GONE = 77
# The exit status of test/vm/boot when the power is cut
ENDED_EARLY = 125
# When the power is cut: this many seconds, at least and at most, after this line
WHILE_WRITING = ('step write', 2, 8)
WHILE_OPENING = ('gcm opens', 0, 1.5)


class Disk:
    """A disk with a cache that forgets, which is an image file behind a server."""

    # A LUKS2 header has 16 MiB of it.
    SIZE = 19 << 20

    def __init__(self, folder, name):
        self.image = folder / f'{name}.img'
        self.socket = folder / f'{name}.socket'
        with self.image.open('wb') as image:
            image.truncate(self.SIZE)

    def __str__(self):
        return f'nbd+unix:///?socket={self.socket}'

    def turn_on(self):
        self.socket.unlink(missing_ok=True)
        self.server = subprocess.Popen(['nbdkit', '--foreground', '--exit-with-parent', '--unix', self.socket,
                                        '--filter=cache', 'file', self.image,
                                        'cache=writeback', 'cache-min-block-size=4096'])
        while not self.socket.exists():
            if self.server.poll() is not None:
                raise RuntimeError('nbdkit ended at once')
            time.sleep(0.05)

    def turn_off(self):
        self.server.kill()
        self.server.wait()


class Volume:
    """What is known of a volume: the write that each sector is of, and what may have taken its place."""

    def __init__(self, name):
        self.name = name
        self.sectors = {}
        self.in_flight = {}
        self.acknowledged = 0
        self.flipped = set()
        self.found = {}

    def begin(self, number, first, count):
        self.in_flight[number] = range(first, first + count)

    def end(self, number):
        for sector in self.in_flight.pop(number):
            self.sectors[sector] = str(number)
        self.acknowledged += 1

    def judge(self, sector, what):
        may_be = {str(number) for number, sectors in self.in_flight.items() if sector in sectors}
        if what == self.sectors[sector]:
            return 'intact'
        if what in may_be:
            return 'newer'
        if what == 'unreadable' and may_be and self.name == 'gcm':
            return 'reported'
        return 'wrong'

    def take_stock(self):
        """Judges all that was found, which from then on is what the sectors have to be. Returns a sentence, and whether
        all is well."""
        count = {'intact': 0, 'newer': 0, 'reported': 0, 'wrong': 0}
        for sector in self.sectors:
            count[self.judge(sector, self.found.get(sector, 'nothing'))] += 1
        sentence = (f'{self.acknowledged} writes acknowledged, {len(self.in_flight)} in flight; of {len(self.sectors)} '
                    f'sectors {count["intact"]} are as acknowledged, {count["newer"]} newer, {count["reported"]} '
                    f'reported, {count["wrong"]} wrong')
        well = self.acknowledged > 0 and count['wrong'] == 0
        self.sectors = self.found
        self.found, self.in_flight, self.acknowledged = {}, {}, 0
        return sentence, well


class Test:
    def __init__(self, kernel, tree, folder):
        self.kernel = kernel
        self.tree = tree
        self.folder = folder
        self.disks = [Disk(folder, name) for name in VOLUMES]
        self.volumes = {name: Volume(name) for name in VOLUMES}
        self.results = 0
        self.next_number = 0
        self.cuts = 0
        self.step = ''

    def result(self, well, text):
        self.results += 1
        print(f'{"ok" if well else "not ok"} - kernel {self.kernel}: {text}', flush=True)

    def new_number(self):
        """For the writes of one boot: higher than all those before."""
        self.next_number += 1000000000
        return str(self.next_number)

    def boot(self, *steps, cut=None):
        """Does steps in a virtual machine, whose power is cut or else which has to end by itself."""
        pid_file = self.folder / 'pid'
        disks = [option for disk in self.disks for option in ('--disk', str(disk))]
        for disk in self.disks:
            disk.turn_on()
        machine = subprocess.Popen([HERE / 'boot', *disks, '--pid-file', pid_file, '--log', self.folder / 'log',
                                    self.tree, 'test/vm/guest/power-cut', *steps],
                                   stdout=subprocess.PIPE, text=True)
        last_line, least, most = cut or (None, 0, 0)

        def cut_power():
            os.kill(int(pid_file.read_text()), signal.SIGKILL)
            for disk in self.disks:
                disk.server.kill()

        timer = threading.Timer(random.uniform(least, most), cut_power)
        for line in machine.stdout:
            # The reason is known.
            if timer.finished.is_set() and line.startswith('The virtual machine ended before'):
                break
            line = line.rstrip('\n')
            self.read_line(line)
            if line == last_line:
                timer.start()
        if machine.wait() != (ENDED_EARLY if cut else 0) or timer.finished.is_set() != bool(cut):
            raise RuntimeError(f'{" ".join(steps)} ended with exit status {machine.returncode}')
        for disk in self.disks:
            disk.turn_off()

    def read_line(self, line):
        words = line.split()
        match words:
            case [('xts' | 'gcm') as name, 'begin', number, first, count]:
                self.volumes[name].begin(int(number), int(first), int(count))
            case [('xts' | 'gcm') as name, 'end', number]:
                self.volumes[name].end(int(number))
            case [('xts' | 'gcm') as name, 'found', sector, what]:
                self.volumes[name].found[int(sector)] = what
            case [('xts' | 'gcm') as name, 'flipped', sector]:
                self.volumes[name].flipped.add(int(sector))
            case [('xts' | 'gcm') as name, 'fio', *rest]:
                self.result(True, f'{name}: fio without a cut: {" ".join(rest)}')
            case ['step', step]:
                if self.step == 'find':
                    self.take_stock()
                self.step = step
            case [_, 'opens']:
                pass
            case _:
                print(f'# {line}', flush=True)

    def take_stock(self):
        self.cuts += 1
        for volume in self.volumes.values():
            sentence, well = volume.take_stock()
            self.result(well, f'{volume.name}: cut {self.cuts}: {sentence}')

    def judge_flipped_bits(self):
        for name, seen_as in [('xts', 'garbage'), ('gcm', 'unreadable')]:
            volume = self.volumes[name]
            others = {volume.found.get(sector) for sector in volume.flipped}
            wrong = {sector for sector in volume.sectors if volume.judge(sector, volume.found.get(sector)) == 'wrong'}
            self.result(wrong == volume.flipped and others == {seen_as},
                        f'{name}: bits flipped in {len(volume.flipped)} sectors: these, and no others, are {seen_as}')

    def run(self, cuts):
        self.boot('make', 'open', 'fio', 'fill', self.new_number(), 'write', self.new_number(), cut=WHILE_WRITING)
        for cut in range(1, cuts + 1):
            if cut % 2 == 0:
                self.boot('open', 'stay', cut=WHILE_OPENING)
            if cut < cuts:
                self.boot('open', 'find', 'write', self.new_number(), cut=WHILE_WRITING)
        self.boot('open', 'find', 'close', 'flip', 'open', 'find')
        self.judge_flipped_bits()


def main():
    if len(sys.argv) != 3 or not re.fullmatch('[1-9][0-9]*', sys.argv[2]):
        sys.exit(__doc__.splitlines()[0].replace('test', 'usage: test', 1))
    kernel = sys.argv[1]
    subprocess.run([HERE.parent / 'need', 'nbdkit'], check=True)
    made = subprocess.run([HERE / 'root-tree', kernel], stdout=subprocess.PIPE, text=True)
    if made.returncode == SUITE_GONE:
        print('1..0 # SKIP the archive no longer has the suite with this kernel')
        return
    made.check_returncode()
    tree = made.stdout.strip()
    release = next(Path(tree, 'boot').glob('vmlinuz-*')).name.removeprefix('vmlinuz-')
    # One user of a tree at a time: the module is installed in it.
    with open(f'{tree}.in-use', 'w') as lock, tempfile.TemporaryDirectory(dir='/dev/shm') as folder:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([HERE / 'build', tree, release], check=True)
        subprocess.run([HERE / 'build-programs', tree], check=True)
        test = Test(kernel, tree, Path(folder))
        test.run(int(sys.argv[2]))
    print(f'1..{test.results}')


main()
