"""Random small matrices in odd but legal Matrix Market spellings, with what they mean."""

import gzip
import random

# Spellings that scipy.io.mmread refuses or misreads, with the reason why the library is right: the
# format, or our own rule (src/io/README.md). For such a file scipy reads a plain spelling of the
# same matrix.
SCIPY_DIFFERS = {
    "banner case": "the format says that the banner is read in any case; scipy wants '%%MatrixMarket' as it stands",
    "plus": "a plus sign is legal in Fortran's and C's input; scipy takes none",
    "d exponent": "Fortran writes 1d2 for 100; scipy stops at the d and reads 1",
    "form feed": "vertical tab and form feed are blanks for us and for C; scipy knows blank and tab",
    "comment between": "we allow comments anywhere after the banner; scipy only before the size line",
    "huge integer": "we round an integer beyond 64 bits to the value type; scipy refuses it",
    "blank at the end": "scipy reads beyond the text where its last line ends with a blank and without a line end, and "
    "dies with SIGSEGV",
    "no values": "scipy divides by the number of rows of an array and dies with SIGFPE where there is none",
}


class Matrix:
    """stored: (row, column, real, imaginary) as in the file, 0-based; for arrays every value in the file's order."""

    def __init__(self, layout, field, symmetry, rows, cols, stored):
        self.layout, self.field, self.symmetry = layout, field, symmetry
        self.rows, self.cols, self.stored = rows, cols, stored

    def triplets(self):
        """The elements, with mirrored ones, as (row, column, value)."""
        out = []
        for row, col, re, im in self.stored:
            value = complex(re[1], im[1])
            out.append((row, col, value))
            if self.symmetry != "general" and row != col:
                mirrored = {
                    "symmetric": value,
                    "skew-symmetric": -value,
                    "hermitian": value.conjugate(),
                }
                out.append((col, row, mirrored[self.symmetry]))
        return out


class Spelling:
    """The spelling of one file: fixed choices for the file, and dice for what varies within it."""

    def __init__(self, dice):
        self.dice = dice
        self.used = set()
        self.end = dice.choice(["\n", "\n", "\n", "\r\n"])
        self.odd = dice.random() < 0.5  # only half of the files may have what scipy cannot read

    def maybe(self, chance, feature=None):
        if feature in SCIPY_DIFFERS and not self.odd:
            return False
        hit = self.dice.random() < chance
        if hit and feature:
            self.used.add(feature)
        return hit

    def blank(self):
        if self.maybe(0.02, "form feed"):
            return self.dice.choice(["\v", "\f"])
        return self.dice.choice([" ", " ", " ", "  ", "\t", " \t "])

    def edge(self):
        return self.dice.choice(["", "", "", " ", "\t"])

    def whole(self, number):
        sign = "-" if number < 0 else ("+" if self.maybe(0.03, "plus") else "")
        return sign + self.dice.choice(["", "", "", "0", "000"]) + str(abs(number))

    def comment(self):
        return (
            self.edge()
            + "%"
            + self.dice.choice(["", " text", "%%MatrixMarket", " 1 1 1", "\t5"])
            + self.end
        )

    def extra_lines(self, head):
        text = ""
        while self.maybe(0.08):
            text += self.edge() + self.end
        while self.maybe(0.3 if head else 0.03, None if head else "comment between"):
            text += self.comment()
        return text

    def real(self):
        """(text, value) of a random real number."""
        dice = self.dice
        digits = "".join(
            dice.choice("0123456789") for _ in range(dice.choice([1, 1, 2, 3, 17, 25]))
        )
        cut = dice.randint(0, len(digits))
        body = (
            digits[:cut]
            + dice.choice([".", ".", "."] + ([""] if cut == len(digits) else []))
            + digits[cut:]
        )
        exponent = ""
        if dice.random() < 0.4:
            letter = dice.choice("dD") if self.maybe(0.2, "d exponent") else dice.choice("eE")
            exponent = (
                letter + dice.choice(["", "+", "-"]) + dice.choice(["0", "2", "007", "11", "25"])
            )
            if dice.random() < 0.02:
                exponent = letter + "-400"
        sign = "-" if dice.random() < 0.3 else ("+" if self.maybe(0.05, "plus") else "")
        text = sign + body + exponent
        return text, float(text.replace("d", "e").replace("D", "e"))

    def integer(self):
        number = self.dice.choice([0, 1, -1, 7, -12, 2**31, -(2**31), 2**53 + 1, 123456789])
        if self.maybe(0.03, "huge integer"):
            number = 12345678901234567890123
        return self.whole(number), float(number)

    def value(self, field):
        zero = ("0", 0.0)
        if field == "pattern":
            return ("", 1.0), zero
        if field == "integer":
            return self.integer(), zero
        return self.real(), (self.real() if field == "complex" else zero)


def random_matrix(dice, spelling):
    layout = dice.choice(["coordinate", "coordinate", "array"])
    field = dice.choice(
        ["real", "real", "integer", "complex"] + (["pattern"] if layout == "coordinate" else [])
    )
    symmetries = ["general", "general", "symmetric"]
    symmetries += ["skew-symmetric"] if field != "pattern" else []
    symmetries += ["hermitian", "hermitian"] if field == "complex" else []
    symmetry = dice.choice(symmetries)
    size = [0, 1, 1, 2, 3, 4, 5, 7, 10, 20]
    rows = dice.choice(size)
    cols = dice.choice(size) if symmetry == "general" else rows
    if layout == "array" and rows == 0:
        spelling.used.add("no values")

    def stored(row, col):
        re, im = spelling.value(field)
        if row == col and symmetry == "skew-symmetric":
            re, im = ("0", 0.0), ("0", 0.0)
        if row == col and symmetry == "hermitian":
            im = ("-0.0", 0.0)
        return row, col, re, im

    entries = []
    if layout == "array":
        for col in range(cols):
            first = {"general": 0, "skew-symmetric": col + 1}.get(symmetry, col)
            entries += [stored(row, col) for row in range(first, rows)]
    elif rows and cols:
        places = set()
        for _ in range(dice.choice([0, 1, rows, 3 * max(rows, cols)])):
            row, col = dice.randrange(rows), dice.randrange(cols)
            if symmetry != "general" and (col, row) in places:
                row, col = col, row  # either triangle may hold an element, but not both
            places.add((row, col))
            entries.append(stored(row, col))
    return Matrix(layout, field, symmetry, rows, cols, entries)


def plain_text(matrix):
    """A spelling that every reader accepts."""
    lines = [f"%%MatrixMarket matrix {matrix.layout} {matrix.field} {matrix.symmetry}"]
    counts = [matrix.rows, matrix.cols] + (
        [len(matrix.stored)] if matrix.layout == "coordinate" else []
    )
    lines.append(" ".join(map(str, counts)))
    for row, col, re, im in matrix.stored:
        # scipy reads integers in 64 bits, so larger ones are written as real numbers
        number = [repr(re[1])] if matrix.field in ("real", "complex") else [str(int(re[1]))]
        words = [str(row + 1), str(col + 1)] if matrix.layout == "coordinate" else []
        words += {"pattern": [], "complex": number + [repr(im[1])]}.get(matrix.field, number)
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def odd_text(matrix, spelling):
    dice, end, blank, edge = spelling.dice, spelling.end, spelling.blank, spelling.edge
    banner = "%%MatrixMarket"
    if spelling.maybe(0.2, "banner case"):
        banner = dice.choice([banner.upper(), banner.lower()])
    words = [
        "matrix",
        matrix.layout,
        dice.choice(["real", "double"]) if matrix.field == "real" else matrix.field,
        matrix.symmetry,
    ]
    words = [dice.choice([str, str.upper, str.capitalize])(word) for word in words]
    text = (
        banner
        + "".join(dice.choice([" ", " ", "\t", "  "]) + word for word in words)
        + dice.choice(["", " "])
        + end
    )
    text += spelling.extra_lines(True)
    counts = [matrix.rows, matrix.cols] + (
        [len(matrix.stored)] if matrix.layout == "coordinate" else []
    )
    # scipy accepts only blanks and tabs in the size line; other white space is for the data lines
    text += edge() + dice.choice([" ", "\t", "  "]).join(map(str, counts)) + edge() + end
    for row, col, re, im in matrix.stored:
        text += spelling.extra_lines(False)
        words = (
            [spelling.whole(row + 1), spelling.whole(col + 1)]
            if matrix.layout == "coordinate"
            else []
        )
        words += {"pattern": [], "complex": [re[0], im[0]]}.get(matrix.field, [re[0]])
        line = words[0]
        for word in words[1:]:
            line += blank() + word
        text += edge() + line + edge() + end
    if matrix.stored and dice.random() < 0.2:
        open_end = text[: -len(end)]  # the last line may lack its line end
        if open_end[-1] not in " \t" or spelling.maybe(0.5, "blank at the end"):
            text = open_end
    return text


def write_file(matrix, spelling, stem):
    """Writes the file; returns its path."""
    data = odd_text(matrix, spelling).encode("latin1")
    if spelling.dice.random() < 0.2:
        cut = spelling.dice.randint(0, len(data))
        members = [data] if spelling.dice.random() < 0.5 else [data[:cut], data[cut:]]
        path, data = stem + ".mtx.gz", b"".join(gzip.compress(member, 1) for member in members)
    else:
        path = stem + ".mtx"
    with open(path, "wb") as file:
        file.write(data)
    return path


def make(seed, stem):
    """For this seed: (path, matrix, spellings that scipy does not accept)."""
    dice = random.Random(seed)
    spelling = Spelling(dice)
    matrix = random_matrix(dice, spelling)
    path = write_file(matrix, spelling, stem)
    return path, matrix, spelling.used & set(SCIPY_DIFFERS)
