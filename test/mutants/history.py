# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
"""Which lines of the sources commits have changed, and what their messages say of mutants that survive.

A line is of the commit that git blame names, which sees through renamed files, lines that move to another file, and changes of
white space. It also sees through each commit that leaves all objects as they were but for names of functions, such as one that
renames registers or changes comments alone: for these, the sources are built before and after it.

A survivor is answered by a trailer of a commit's message:

    Equivalent-mutant: PLACE: CHANGE [(COUNT)]; REASON

This says that COUNT mutants (1 if it is not there) of that PLACE and CHANGE, as rules.py calls them, change nothing that
matters, in each unit or tier. Of several trailers for the same, the newest one counts. There is no list to
prune: a trailer comes and goes with the commits that are asked for, and one that matches no survivor does nothing.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
UNCOMMITTED = '0' * 40
KEY = 'Equivalent-mutant'
TRAILER = re.compile(r'(\w+): (.+?)(?: \((\d+)\))?; .+')


def git(*arguments):
    return subprocess.run(['git', '-C', TOP, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def source_files(folder):
    """The names of the module's sources that a folder has"""
    return subprocess.run([TOP / 'tools/source-checksum', '--files', folder], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()


def is_unit(file):
    """Whether it is compiled. sm4-fast-esp.c is nothing without a kernel, and so has no object in user space."""
    return file.endswith(('.c', '.S')) and file != 'sm4-fast-esp.c'


def without_names(objects):
    """{unit: what is in its object}, with the place of each symbol of the module instead of its name"""
    places, dumps = {}, {}
    for unit, path in objects.items():
        symbols = subprocess.run(['nm', '--defined-only', path], stdout=subprocess.PIPE, text=True, check=True).stdout
        places.update({name: f'{unit}:{kind}:{value}' for value, kind, name in map(str.split, symbols.splitlines())})
    for unit, path in objects.items():
        dump = subprocess.run(['objdump', '--reloc', '--full-contents', path], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        dumps[unit] = re.sub(r'(?<= )\w+', lambda name: places.get(name[0], name[0]), dump.partition('file format')[2])
    return dumps


class History:
    """The commits after a revision, and what is not committed"""

    def __init__(self, since):
        self.commits = git('rev-list', f'{since}..HEAD').split()    # the newest first
        self.objects = {}
        self.judged = {}    # whether a commit leaves all objects as they were

    @staticmethod
    def reason_to_skip(since):
        """Why the history is not there, or None. That there is no such revision in a whole history is an error."""
        if not (TOP / '.git').exists():
            return 'this is no clone: only its history says which lines have changed'
        if subprocess.run(['git', '-C', TOP, 'rev-parse', '--quiet', '--verify', f'{since}^{{commit}}'],
                          stdout=subprocess.DEVNULL, check=False).returncode:
            if git('rev-parse', '--is-shallow-repository') == 'true\n':
                return f'this clone is shallow, and does not reach back to {since}: git fetch --unshallow'
            sys.exit(f'There is no revision {since}.')
        return None

    def changed_lines(self, files):
        """{file: {index of a line, from 0: its commit}}, of those that were changed"""
        while True:
            found = {file: self.blame(file) for file in files}
            owners = {commit for lines in found.values() for commit in lines.values()} - {UNCOMMITTED}
            if owners <= set(self.judged):
                return {file: {index: commit for index, commit in lines.items() if not self.judged.get(commit)}
                        for file, lines in found.items()}
            for commit in owners - set(self.judged):
                self.judged[commit] = self.leaves_objects(commit)

    def blame(self, file):
        if not git('ls-tree', '--name-only', 'HEAD', file):
            return dict.fromkeys(range(len((TOP / file).read_text().split('\n'))), UNCOMMITTED)
        ignored = [f'--ignore-rev={commit}' for commit, neutral in self.judged.items() if neutral]
        lines = re.findall(r'^([0-9a-f]{40}) \d+ (\d+)', git('blame', '--porcelain', '-w', '-C', *ignored, '--', file), re.M)
        known = {UNCOMMITTED, *self.commits}
        return {int(number) - 1: commit for commit, number in lines if commit in known}

    def leaves_objects(self, commit):
        parents = git('rev-list', '--max-count=1', '--parents', commit).split()[1:]
        return len(parents) == 1 and self.objects_of(commit) is not None and \
            self.objects_of(commit) == self.objects_of(parents[0])

    def objects_of(self, commit):
        """What to compare of the objects, or None if they cannot be built as the sources are now"""
        # Many commits have the same sources.
        tree = '\n'.join(re.findall(r'^.*\t(?!test/|bench/|integration/).*\.[chS]$', git('ls-tree', '-r', commit), re.M))
        if tree not in self.objects:
            self.objects[tree] = self.build(commit)
        return self.objects[tree]

    @staticmethod
    def build(commit):
        with tempfile.TemporaryDirectory(prefix='sm4-fast-history-') as folder:
            # The name of the folder must not make a difference.
            sources, build = Path(folder, 'sources'), Path(folder, 'build')
            sources.mkdir()
            with subprocess.Popen(['git', '-C', TOP, 'archive', commit], stdout=subprocess.PIPE) as archive:
                subprocess.run(['tar', '--extract', '--directory', sources], stdin=archive.stdout, check=True)
            objects = {unit: build / 'plain/module' / f'{unit}.o' for unit in source_files(sources) if is_unit(unit)}
            made = subprocess.run(['make', '--silent', '--jobs=2', f'--file={TOP}/test/host/Makefile', f'top={sources}',
                                   f'build={build}', 'headers=', 'CFLAGS=-O2 -w', *objects.values()],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            if made.returncode:
                return None
            return without_names(objects)

    def answers(self):
        """{(PLACE, CHANGE): COUNT}, and the trailers that are none"""
        found, wrong = {}, []
        for commit in reversed(self.commits):
            for line in git('log', '--max-count=1', f'--format=%(trailers:key={KEY},valueonly,unfold)', commit).splitlines():
                trailer = TRAILER.fullmatch(line)
                if trailer:
                    found[trailer[1], trailer[2]] = int(trailer[3] or 1)
                elif line:
                    wrong.append(f'{commit[:12]}: {KEY}: {line}')
        return found, wrong
