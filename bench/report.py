# SPDX-License-Identifier: GPL-2.0
"""What bench/run and bench/model have in common: tables of text.

It measures nothing and knows neither libraries nor processors.
"""


def table(title, columns, rows):
    """A table of numbers: rows are (label, numbers), None for one that is not there, no numbers at all for a heading."""
    labels = max(len(label) for label in [title] + [row[0] for row in rows])
    width = max(8, *(len(column) + 2 for column in columns))
    lines = [title.ljust(labels) + ''.join(column.rjust(width) for column in columns)]
    for label, numbers in rows:
        cells = ('-' if number is None else f'{number:.2f}' for number in numbers)
        lines.append(label.ljust(labels) + ''.join(cell.rjust(width) for cell in cells))
    return '\n'.join(line.rstrip() for line in lines) + '\n'
