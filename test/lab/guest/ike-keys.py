"""ike-keys.py LOG CAPTURE STATES

Derives anew, by RFC 7296 with HMAC-SM3 of Python's hmac, all keys of the IKE SA and the CHILD SA between two gateways,
from the shared secret in the initiator's LOG and the nonces in CAPTURE, the packets on the wire; compares them with
those in the LOG and in STATES, the output of `ip xfrm state`; and decrypts IKE_AUTH with openssl.
"""
import hmac
import re
import struct
import subprocess
import sys

HEADER = 28  # of a message of IKE
NONCE = 40  # the number of that payload
ICV = 32


def dumps(path):
    """The bytes that the log shows by a name, the last ones"""
    result, name = {}, None
    for line in open(path, errors='replace'):
        text = re.sub(r'^.*?\d\d\[[A-Z]+\] ?(<[^>]*> )?', '', line.rstrip('\n'))
        start = re.match(r'(.*?) => (\d+) bytes', text)
        data = re.match(r' *\d+: ((?:[0-9A-F]{2} )+)', text)
        if start:
            name, size = start[1].strip(), int(start[2])
            result[name] = b''
        elif name and data:
            result[name] = (result[name] + bytes.fromhex(data[1]))[:size]
        else:
            name = None
    return result


def prf(key, data):
    return hmac.digest(key, data, 'sm3')


def prf_plus(key, seed, size):
    result, last, count = b'', b'', 1
    while len(result) < size:
        last = prf(key, last + seed + bytes([count]))
        result, count = result + last, count + 1
    return result[:size]


def messages(path):
    """The messages of IKE in a capture of Ethernet, IPv4 and UDP"""
    capture = open(path, 'rb').read()
    at = 24
    while at < len(capture):
        length = struct.unpack('<I', capture[at + 8:at + 12])[0]
        ip = capture[at + 16 + 14:at + 16 + length]
        at += 16 + length
        if ip[0] >> 4 != 4 or ip[9] != 17:
            continue
        udp = ip[4 * (ip[0] & 15):]
        on_4500 = 4500 in struct.unpack('>HH', udp[:4])
        yield udp[8 + (4 if on_4500 else 0):]


def nonce(message):
    kind, at = message[16], HEADER
    while kind != NONCE:
        kind, length = message[at], struct.unpack('>H', message[at + 2:at + 4])[0]
        at += length
    return message[at + 4:at + struct.unpack('>H', message[at + 2:at + 4])[0]]


def same(name, there, computed):
    if there != computed:
        sys.exit(f'{name} is {there.hex()}, and by RFC 7296 {computed.hex()}')


log, states = dumps(sys.argv[1]), open(sys.argv[3]).read()
init_i, init_r, auth_i = list(messages(sys.argv[2]))[:3]
nonces = nonce(init_i) + nonce(init_r)
# strongSwan 5 and 6 call it by two names.
shared = log.get('shared Diffie Hellman secret') or log['key exchange secret']
seed = prf(nonces, shared)
same('SKEYSEED', log['SKEYSEED'], seed)
sizes = {'Sk_d': 32, 'Sk_ai': 32, 'Sk_ar': 32, 'Sk_ei': 16, 'Sk_er': 16, 'Sk_pi': 32, 'Sk_pr': 32}
keymat, keys = prf_plus(seed, nonces + init_r[:16], sum(sizes.values())), {}
for name, size in sizes.items():
    keys[name], keymat = keymat[:size], keymat[size:]
    same(name, log[f'{name} secret'], keys[name])

child = prf_plus(keys['Sk_d'], nonces, 96)
encryption_i, integrity_i, encryption_r, integrity_r = child[:16], child[16:48], child[48:64], child[64:]
for algorithm, key in (('cbc(sm4)', encryption_i), ('hmac(sm3)', integrity_i),
                       ('cbc(sm4)', encryption_r), ('hmac(sm3)', integrity_r)):
    if f'{algorithm} 0x{key.hex()}' not in states:
        sys.exit(f'the kernel has not, of {algorithm}, the key {key.hex()}')

same('the checksum of IKE_AUTH', auth_i[-ICV:], prf(keys['Sk_ai'], auth_i[:-ICV]))
iv, encrypted = auth_i[HEADER + 4:HEADER + 20], auth_i[HEADER + 20:-ICV]
plain = subprocess.run(['openssl', 'enc', '-d', '-sm4-cbc', '-nopad', '-K', keys['Sk_ei'].hex(), '-iv', iv.hex()],
                       input=encrypted, stdout=subprocess.PIPE, check=True).stdout
if b'west.example' not in plain or b'east.example' not in plain:
    sys.exit(f'IKE_AUTH has no identities, but {plain.hex()}')
