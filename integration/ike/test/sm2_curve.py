"""sm2_curve.py

The curve of SM2 with the parameters of GB/T 32918.5, and the arithmetic of its points, with Python's integers: for tests that
must not depend on the library under test. Slow, and not constant time. A point is a pair of coordinates, or None for infinity.
As a program, it compares the arithmetic with the example of the standard, and the parameters with OpenSSL's.
"""
import re
import subprocess
import sys

SIZE = 32  # bytes of a coordinate
P = 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff
A = 0xfffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffc
B = 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93
N = 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123
G = (0x32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7,
     0xbc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0)


def is_on_curve(point):
    x, y = point
    return 0 <= x < P and 0 <= y < P and (y * y - x * x * x - A * x - B) % P == 0


def add(one, other):
    if not one or not other:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    if one == other:
        slope = (3 * x1 * x1 + A) * pow(2 * y1, -1, P)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P)
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def multiply(factor, point):
    result = None
    while factor:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def encode(point):
    """As in the key exchange payload of IKE: x, y"""
    return b''.join(coordinate.to_bytes(SIZE, 'big') for coordinate in point)


def decode(data):
    if len(data) != 2 * SIZE:
        sys.exit(f'a point has {2 * SIZE} bytes, not {len(data)}')
    point = int.from_bytes(data[:SIZE], 'big'), int.from_bytes(data[SIZE:], 'big')
    if not is_on_curve(point):
        sys.exit(f'{data.hex()} is not on the curve')
    return point


def same(name, ours, theirs):
    if ours != theirs:
        sys.exit(f'{name}: {ours} here, {theirs} there')


def main():
    same('the order of G', multiply(N, G), None)
    # The keys in the examples of GB/T 32918.5, appendix A
    same('the public key of the example',
         multiply(0x3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8, G),
         (0x09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020,
          0xccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13))
    text = subprocess.run(['openssl', 'ecparam', '-name', 'SM2', '-param_enc', 'explicit', '-text', '-noout'],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    theirs = {name: int(re.sub(r'[\s:]', '', figures), 16) for name, figures in
              re.findall(r'^(\w[\w ]*?)(?: \(uncompressed\))?:\s*\n((?: +[0-9a-f:]+\n)+)', text, re.MULTILINE)}
    same("OpenSSL's parameters", theirs,
         {'Prime': P, 'A': A, 'B': B, 'Generator': int.from_bytes(b'\4' + encode(G), 'big'), 'Order': N})
    same("OpenSSL's cofactor", re.findall(r'Cofactor: +(.*)', text), ['1 (0x1)'])


if __name__ == '__main__':
    main()
