# SPDX-License-Identifier: GPL-2.0
"""For the programs beside it that have `openssl s_server` and `openssl s_client` talk to each other on port 4433, and say
when which of them sends what. In the debug kernel only: it works in /run.
"""
import os
import select
import socket
import subprocess
import time


class End:
    """s_server or s_client, by its command. It has a socket for its input that keeps messages apart, so that each read,
    and with it each record or command of a line, is one message to send()."""

    def __init__(self, command):
        self.input, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.name = command[1]
        self.errors = open(f'/run/{self.name}.err', 'w+')
        self.process = subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=self.errors)
        theirs.close()

    def send(self, message):
        """Has it read this, if it has not ended"""
        try:
            self.input.send(message)
        except BrokenPipeError:
            pass

    def read(self, size, seconds=300):
        """What it has written, at most size bytes; nothing if it ends, or writes nothing for so many seconds"""
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return b''
        return os.read(self.process.stdout.fileno(), size)

    def read_all(self, size):
        """What it has written, size bytes; less if no more comes"""
        written = b''
        while len(written) < size and (piece := self.read(size - len(written))):
            written += piece
        return written

    def read_to(self, line):
        """What it has written, when this line is in it; without it if no more comes"""
        written = b''
        while line not in written and (piece := self.read(65536, 60)):
            written += piece
        return written

    def said(self):
        """The end of its messages"""
        self.errors.seek(0)
        return self.errors.read()[-1000:]


def start_both(commands):
    """SERVER... -- CLIENT... as (server, client)"""
    middle = commands.index('--')
    server = End(commands[:middle])
    for _ in range(300):
        if server.process.poll() is not None:
            break
        with open('/proc/net/tcp') as connections:
            if any(':1151 ' in line and ' 0A ' in line for line in connections):
                break
        time.sleep(0.1)
    return server, End(commands[middle + 1:])
