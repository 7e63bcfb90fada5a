"""Makes the font that PNG drawings use: Roboto Regular with the characters that names and numbers need, and no tables that only hint or kern.

    python3 subset.py Roboto-Regular.ttf roboto-subset.ttf

Needs fonttools. The input is the unhinted Roboto-Regular.ttf of Debian's `fonts-roboto-unhinted` (version 2.138).
"""

import sys

from fontTools import subset
from fontTools.ttLib import TTFont

CHARACTERS = [
    (0x20, 0x7E),  # ASCII
    (0xA0, 0x17F),  # Latin-1 and Latin Extended-A
    (0x370, 0x3FF),  # Greek
    (0x400, 0x45F),  # Cyrillic
    (0x2010, 0x2027),  # dashes, quotes, ellipsis
    (0x2030, 0x203A),
    (0x2070, 0x2089),  # superscripts and subscripts
    (0x2200, 0x22FF),  # mathematics
]


def main(source, target):
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options()
    options.layout_features = []
    options.hinting = False
    options.notdef_outline = True
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "kern", "DSIG"]
    options.name_IDs = [0, 1, 2, 5, 6, 13, 14]
    cut = subset.Subsetter(options)
    cut.populate(unicodes=[code for first, last in CHARACTERS for code in range(first, last + 1)])
    cut.subset(font)
    font.save(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
