#!/bin/bash
# test/docs/pictures.t
#
# TAP: two renderers draw each picture of docs, in the same way and with nothing at its edge, where it would be cut off. Browsers
# repair what these refuse, such as an arrowhead that refers to itself.
set -euo pipefail

cd "$(dirname "$0")/../.."
test/need librsvg2-bin python3-cairosvg python3-pil >&2
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT

# The second picture has other letters: at most a tenth of the darkness between black and white may differ, on average.
compare() {
    /usr/bin/python3 - "$@" <<'END'
import sys
from PIL import Image, ImageChops, ImageStat

first, second = (Image.open(name).convert('L') for name in sys.argv[1:])
width, height = first.size
if second.size != first.size:
    sys.exit(f'{first.size} and {second.size} pixels')
difference = ImageStat.Stat(ImageChops.difference(first, second)).mean[0]
if difference > 25:
    sys.exit(f'the two pictures differ by {difference:.0f} of 255')
for picture in first, second:
    if ImageStat.Stat(picture).stddev[0] < 10:
        sys.exit('a picture is empty')
    for edge in (0, 0, 1, height), (width - 1, 0, width, height), (0, 0, width, 1), (0, height - 1, width, height):
        if picture.crop(edge).getextrema() != (255, 255):
            sys.exit(f'something is at the edge {edge}')
END
}

number=0
for picture in docs/*.svg; do
    number=$((number + 1))
    if messages=$({ rsvg-convert --output="$work/first.png" "$picture" &&
                    /usr/bin/python3 -m cairosvg "$picture" --output="$work/second.png" &&
                    compare "$work/first.png" "$work/second.png"; } 2>&1); then
        echo "ok $number - $picture"
    else
        echo "not ok $number - $picture"
        tail --lines=5 <<<"$messages" | sed 's/^/# /'
    fi
done
echo "1..$number"
