"""payloads.py COUNT

Sends COUNT requests IKE_SA_INIT with a malformed key exchange payload of curveSM2 to the gateway on this machine, which has
to refuse each. In between and in the end, it has to answer proper ones with a point on the curve.
"""
import collections
import os
import random
import socket
import struct
import sys

import sm2_curve
from sm2_curve import P, SIZE

SECURITY_ASSOCIATION, KEY_EXCHANGE, NONCE, NOTIFY = 33, 34, 40, 41  # the numbers of payloads
INVALID_SYNTAX, NO_PROPOSAL_CHOSEN = 7, 14
HEADER = 28
# Types and numbers of SM4-CBC, PRF-HMAC-SM3, HMAC-SM3 and curveSM2
TRANSFORMS = ((1, 1031), (2, 1029), (3, 1032), (4, 1041))
# A point of another curve, P-256: its generator
OTHER = (0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
         0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5)


def payload(following, data):
    return struct.pack('>BBH', following, 0, 4 + len(data)) + data


def request(point):
    transforms = b''.join(
        struct.pack('>BBHBBH', 0 if kind == 4 else 3, 0, 8, kind, 0, number) for kind, number in TRANSFORMS)
    proposal = struct.pack('>BBHBBBB', 0, 0, 8 + len(transforms), 1, 1, 0, len(TRANSFORMS)) + transforms
    body = (payload(KEY_EXCHANGE, proposal) + payload(NONCE, struct.pack('>HH', TRANSFORMS[-1][1], 0) + point) +
            payload(0, os.urandom(32)))
    return os.urandom(8) + bytes(8) + struct.pack('>BBBBII', SECURITY_ASSOCIATION, 0x20, 34, 8, 0, HEADER + len(body)) + body


def answer(message):
    """The content of the answer: the point, or the number of the notification"""
    gateway.send(message)
    while True:
        reply = gateway.recv(65536)
        # An answer to the previous message
        if reply[:8] != message[:8]:
            continue
        kind, at = reply[16], HEADER
        while kind not in (0, KEY_EXCHANGE, NOTIFY):
            kind, at = reply[at], at + struct.unpack('>H', reply[at + 2:at + 4])[0]
        if kind == NOTIFY:
            return struct.unpack('>H', reply[at + 6:at + 8])[0]
        return reply[at + 8:at + struct.unpack('>H', reply[at + 2:at + 4])[0]]


def random_point():
    return random.randrange(1, sm2_curve.N) * sm2_curve.G


def pair(x, y):
    return x.to_bytes(SIZE, 'big') + y.to_bytes(SIZE, 'big')


def points_of_small_x():
    """Points whose x + P fits into the same bytes"""
    result = []
    for x in range(2000):
        square = (x ** 3 + sm2_curve.A * x + sm2_curve.B) % P
        y = pow(square, (P + 1) // 4, P)
        if y * y % P == square:
            result.append((x, y))
    return result


def point_with_zero_at_the_end():
    point = random_point()
    while point.y() % 256:
        point += sm2_curve.G
    return point


SMALL = points_of_small_x()
ENDS_WITH_ZERO = point_with_zero_at_the_end()


def flip(data):
    at = random.randrange(8 * len(data))
    return (int.from_bytes(data, 'big') ^ 1 << at).to_bytes(len(data), 'big')


def any_number():
    return random.randrange(P)


# Named functions that make a malformed encoding from a point
MALFORMED = {
    'too short': lambda good: good[:random.randrange(len(good))],
    'without a zero at the end': lambda good: sm2_curve.encode(ENDS_WITH_ZERO)[:-1],
    'too long': lambda good: good + os.urandom(random.randrange(1, 1000)),
    'with the form of the point': lambda good: b'\4' + good,
    'compressed': lambda good: bytes([2 + good[-1] % 2]) + good[:SIZE],
    'a bit is different': flip,
    'x and y are exchanged': lambda good: good[SIZE:] + good[:SIZE],
    'anything': lambda good: os.urandom(2 * SIZE),
    'on another curve': lambda good: pair(*OTHER),
    'x is zero': lambda good: bytes(SIZE) + good[SIZE:],
    'y is zero': lambda good: good[:SIZE] + bytes(SIZE),
    'both are zero': lambda good: bytes(2 * SIZE),
    'infinity': lambda good: bytes(1),
    'all bits are one': lambda good: b'\xff' * 2 * SIZE,
    'x is not reduced': lambda good: pair(*(lambda point: (point[0] + P, point[1]))(random.choice(SMALL))),
    'x is the prime': lambda good: pair(P, any_number()),
    'y is the prime': lambda good: pair(any_number(), P),
}


def check_good():
    point = answer(request(sm2_curve.encode(random_point())))
    if isinstance(point, int):
        sys.exit(f'a proper point is answered with notification {point}')
    sm2_curve.decode(point)


count = int(sys.argv[1])
seed = random.randrange(1 << 32)
print(f'seed {seed}')
random.seed(seed)
gateway = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
gateway.connect(('127.0.0.1', 500))
gateway.settimeout(10)
answers = collections.Counter()
good = [sm2_curve.encode(random_point()) for _ in range(100)]
for number in range(count):
    if number % 1000 == 0:
        check_good()
    name = list(MALFORMED)[number % len(MALFORMED)]
    bad = MALFORMED[name](random.choice(good))
    reply = answer(request(bad))
    if reply not in (NO_PROPOSAL_CHOSEN, INVALID_SYNTAX):
        sys.exit(f'{name}: {bad.hex()} is answered with {reply}')
    answers[name, reply] += 1
check_good()
for (name, reply), times in answers.items():
    print(f'{name}: {times} times, notification {reply}')
