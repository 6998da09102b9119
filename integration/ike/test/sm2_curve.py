"""sm2_curve.py

The curve of SM2 with the parameters of GB/T 32918.5, for the arithmetic of python3-ecdsa: for tests that must not depend on the
library under test. As a program, it compares both with the example of the standard.
"""
import sys

from ecdsa.ellipticcurve import CurveFp, Point

SIZE = 32  # bytes of a coordinate
P = 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff
A = 0xfffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffc
B = 0x28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93
N = 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123
CURVE = CurveFp(P, A, B, 1)
# Point checks that G is on the curve, and that its order is N.
G = Point(CURVE, 0x32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7,
          0xbc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0, N)


def encode(point):
    """As in the key exchange payload of IKE: x, y"""
    return point.to_bytes('raw')


def decode(data):
    """The point, which has to be on the curve, with reduced coordinates"""
    point = Point.from_bytes(CURVE, data, valid_encodings=['raw'])
    if max(point.x(), point.y()) >= P:
        sys.exit(f'{data.hex()} is not reduced')
    return point


if __name__ == '__main__':
    # The keys in the examples of GB/T 32918.5, appendix A
    public = 0x3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8 * G
    if (public.x(), public.y()) != (0x09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020,
                                    0xccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13):
        sys.exit(f'the public key of the example is {public}')
