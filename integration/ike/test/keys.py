"""keys.py SECRET CAPTURE STATES PRIVATE_KEYS PRIVATE_KEYS

Derives all keys of the IKE SA and the CHILD SA between two gateways again, and those of the CHILD SA that replaced it with its
own key exchange: by RFC 7296 with HMAC-SM3 of Python's hmac and the curve of sm2_curve.py, from CAPTURE, the packets on the
wire, and from the private keys of the initiator and of the responder, in hexadecimal, one in a line. By these keys,
messages of both have to be genuine, and openssl has to decrypt them; the authentication of both by SECRET has to be right; and
the keys of the CHILD SAs have to be in STATES, the output of `ip xfrm state`.
"""
import hmac
import struct
import subprocess
import sys

import sm2_curve

HEADER = 28  # of a message of IKE
CREATE_CHILD_SA = 36
KEY_EXCHANGE, ID_I, ID_R, AUTH, NONCE, ENCRYPTED = 34, 35, 36, 39, 40, 46  # the numbers of payloads
CURVE_SM2 = 1041
ICV = 32


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


def payload(kind, first, data):
    """The payload of that kind in a list, in which the first one has the kind first"""
    at = 0
    while first != kind:
        first, length = data[at], struct.unpack('>H', data[at + 2:at + 4])[0]
        at += length
    return data[at + 4:at + struct.unpack('>H', data[at + 2:at + 4])[0]]


def decrypt(message):
    """The first payload's kind, and the payloads, in an encrypted message"""
    # All messages of the initiator of the IKE SA have this flag.
    side = 'i' if message[19] & 8 else 'r'
    same('the payload', bytes([message[16]]), bytes([ENCRYPTED]))
    same('the checksum', message[-ICV:], prf(keys[f'Sk_a{side}'], message[:-ICV]))
    iv, encrypted = message[HEADER + 4:HEADER + 20], message[HEADER + 20:-ICV]
    plain = subprocess.run(
        ['openssl', 'enc', '-d', '-sm4-cbc', '-nopad', '-K', keys[f'Sk_e{side}'].hex(), '-iv', iv.hex()],
        input=encrypted, stdout=subprocess.PIPE, check=True).stdout
    return message[HEADER], plain


def agree(payloads):
    """The secret of a key exchange, computed as by the initiator and as by the responder; both have to be equal"""
    secrets = []
    for data in payloads:
        same('the key exchange method', data[:4], struct.pack('>HH', CURVE_SM2, 0))
    points = [sm2_curve.decode(data[4:]) for data in payloads]
    for path, ours, theirs in zip(sys.argv[4:], points, reversed(points)):
        private = [int(line, 16) for line in open(path)]
        mine = [key for key in private if key * sm2_curve.G == ours]
        if len(mine) != 1:
            sys.exit(f'{len(mine)} keys in {path} belong to {sm2_curve.encode(ours).hex()}')
        secrets.append(sm2_curve.encode(mine[0] * theirs)[:sm2_curve.SIZE])
    same("the responder's secret", *secrets)
    return secrets[0]


def check_child(keymat):
    # In GCM, a salt follows the key.
    sizes = {'rfc4106(gcm(sm4))': 20} if 'gcm(sm4)' in states else {'cbc(sm4)': 16, 'hmac(sm3)': 32}
    for algorithm, size in [*sizes.items()] * 2:
        key, keymat = keymat[:size], keymat[size:]
        if f'{algorithm} 0x{key.hex()}' not in states:
            sys.exit(f'the kernel has not, of {algorithm}, the key {key.hex()}')


def same(name, there, computed):
    if there != computed:
        sys.exit(f'{name} is {there.hex()}, and by RFC 7296 {computed.hex()}')


def check_auth(message, identity, octets, key):
    """The authentication of one end, which has signed the message IKE_SA_INIT, the other's nonce, and its identity"""
    payloads = decrypt(message)
    octets += prf(key, payload(identity, *payloads))
    # A shared key has the number 2, and three bytes are reserved.
    same('AUTH', payload(AUTH, *payloads), b'\2\0\0\0' + prf(prf(sys.argv[1].encode(), b'Key Pad for IKEv2'), octets))


states = open(sys.argv[3]).read()
init_i, init_r, auth_i, *later = messages(sys.argv[2])
init = [(message[16], message[HEADER:]) for message in (init_i, init_r)]
nonce_i, nonce_r = [payload(NONCE, *message) for message in init]
seed = prf(nonce_i + nonce_r, agree([payload(KEY_EXCHANGE, *message) for message in init]))
sizes = {'Sk_d': 32, 'Sk_ai': 32, 'Sk_ar': 32, 'Sk_ei': 16, 'Sk_er': 16, 'Sk_pi': 32, 'Sk_pr': 32}
keymat, keys = prf_plus(seed, nonce_i + nonce_r + init_r[:16], sum(sizes.values())), {}
for name, size in sizes.items():
    keys[name], keymat = keymat[:size], keymat[size:]
check_child(prf_plus(keys['Sk_d'], nonce_i + nonce_r, 96))
# The first answer after IKE_SA_INIT is that of the responder to IKE_AUTH.
auth_r = next(message for message in later if message[19] & 32)
check_auth(auth_i, ID_I, init_i + nonce_r, keys['Sk_pi'])
check_auth(auth_r, ID_R, init_r + nonce_i, keys['Sk_pr'])

rekeying = [decrypt(message) for message in later if message[18] == CREATE_CHILD_SA]
secret = agree([payload(KEY_EXCHANGE, *message) for message in rekeying])
nonces = b''.join(payload(NONCE, *message) for message in rekeying)
check_child(prf_plus(keys['Sk_d'], secret + nonces, 96))
