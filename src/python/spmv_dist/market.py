"""python3 -m spmv_dist.market FILE -o FILE.mtx: writes a matrix or vector of another program's file as Matrix Market.

Known by their content are files of scipy.sparse.save_npz, numpy.save and numpy.savez, MATLAB files, HDF5 (with h5py)
and PETSc's vectors. --text says what is in a text.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Callable

from spmv_dist.tool import ExitCode, Output, ToolError, input_error, need, parser, read_file
from spmv_dist.tool import run as run_tool

MODULE = "spmv_dist.market"


def _of_numpy(data: bytes) -> Any:
    """An array, an archive of scipy's, a matrix by rows in an archive, or the first array in one."""
    numpy, sparse = need("numpy"), need("scipy.sparse")
    loaded = numpy.load(io.BytesIO(data))
    if isinstance(loaded, numpy.ndarray):
        return loaded.reshape(len(loaded), -1)
    if "format" in loaded:
        return sparse.load_npz(io.BytesIO(data))
    if "indptr" in loaded:
        return sparse.csr_matrix(
            (loaded["data"], loaded["indices"], loaded["indptr"]), shape=loaded.get("shape")
        )
    array = loaded[loaded.files[0]]
    return array.reshape(len(array), -1)


def _of_matlab(data: bytes) -> Any:
    """The first sparse matrix, or the first one; also in a struct, as those of SuiteSparse have it in A."""
    found = need("scipy.io").loadmat(io.BytesIO(data))
    values = [value for name, value in found.items() if not name.startswith("_")]
    value = max(values, key=need("scipy.sparse").issparse)
    return value["A"][0, 0] if value.dtype.names else value


def _of_hdf5(data: bytes) -> Any:
    """Of the first group with data: a matrix by columns as MATLAB has it, or one by rows."""
    sparse = need("scipy.sparse")
    groups: list[Any] = []
    with need("h5py").File(io.BytesIO(data)) as file:
        file.visititems(lambda _, item: groups.append(item))
        group = next(item for item in [file, *groups] if "data" in getattr(item, "keys", list)())
        values = group["data"][()]
        if values.dtype.names:
            values = values.view("c16")
        if "ir" in group:
            ends = group["jc"][()]
            shape = (group.attrs["MATLAB_sparse"], len(ends) - 1)
            return sparse.csc_matrix((values, group["ir"][()], ends), shape=shape)
        parts = (values, group["indices"][()], group["indptr"][()])
        return sparse.csr_matrix(parts, shape=group.attrs.get("shape"))


def _of_petsc_vector(data: bytes) -> Any:
    numpy = need("numpy")
    wide = 8 if data.startswith(b"\0\0\0\0") else 4
    count = int(numpy.frombuffer(data, f">i{wide}", 2)[1])
    kind = {4: "f4", 8: "f8", 16: "c16"}[(len(data) - 2 * wide) // count]
    return numpy.frombuffer(data, f">{kind}", count, 2 * wide).reshape(-1, 1)


def _of_table(data: bytes) -> Any:
    """Numbers with blanks, commas, semicolons or tabs between; lines that are none, such as a title, are left out."""
    numpy = need("numpy")
    text = re.sub(r"(#|%|//).*", "", data.decode())
    mark = next((mark for mark in ",;" if mark in text), None)
    table = numpy.genfromtxt(io.StringIO(text), delimiter=mark, ndmin=2)
    return table[~numpy.isnan(table).any(1)]


def _of_entries(data: bytes) -> Any:
    """Lines "row column" or "row column value" of a square matrix, with ids from 0 if there is a 0 and else from 1."""
    numpy = need("numpy")
    table = _of_table(data)
    ids = table[:, :2].astype(int).T
    ids -= min(1, ids.min())
    values = table[:, 2] if table.shape[1] > 2 else numpy.ones(len(table))
    size = ids.max() + 1
    return need("scipy.sparse").coo_matrix((values, ids), shape=(size, size))


def _of_metis(data: bytes) -> Any:
    """A graph: "vertices edges" and which weights there are; then the neighbours of every vertex."""
    lines = [line.split() for line in data.decode().splitlines() if not line.startswith("%")]
    size, _, *more = [int(word) for word in lines[0]]
    digits = f"{more[0] if more else 0:03}"
    skipped = int(digits[0]) + int(digits[1]) * (more[1] if len(more) > 1 else 1)
    weighted = digits[2] == "1"
    entries = [
        (row, int(words[at]) - 1, float(words[at + 1]) if weighted else 1.0)
        for row, words in enumerate(lines[1 : size + 1])
        for at in range(skipped, len(words), 1 + weighted)
    ]
    rows, columns, values = zip(*entries) if entries else ((), (), ())
    return need("scipy.sparse").coo_matrix((values, (rows, columns)), shape=(size, size))


def _fields(lines: list[str], width: str) -> Iterator[str]:
    """Numbers of fixed width, maybe without blanks between."""
    for line in lines:
        for at in range(0, len(line.rstrip()), int(width)):
            yield line[at : at + int(width)]


def _of_harwell_boeing(data: bytes) -> Any:
    """Also a Rutherford-Boeing file. Without right-hand sides."""
    sparse = need("scipy.sparse")
    lines = data.decode().upper().splitlines()
    counts = [int(word) for word in lines[1].split()] + [0]
    kind, rows, columns = lines[2].split()[:3]
    if kind[2] != "A":
        raise ValueError("its matrices are those of elements: assemble them where it comes from")
    widths = [*re.findall("[IDEFG]([0-9]+)", lines[3]), "1"]
    begin = 4 + (counts[4] > 0)
    ends = [begin + sum(counts[1 : 1 + part]) for part in range(4)]
    parts = [list(_fields(lines[ends[i] : ends[i + 1]], widths[i])) for i in range(3)]
    starts, ids = ([int(word) - 1 for word in part] for part in parts[:2])
    numbers = [float(word.replace("D", "E")) for word in parts[2]]
    if kind[0] == "C":
        numbers = [complex(*pair) for pair in zip(numbers[::2], numbers[1::2])]
    values = numbers or [1.0] * len(ids)
    matrix = sparse.csc_matrix((values, ids, starts), shape=(int(rows), int(columns))).tocoo()
    return _with_mirror(matrix, kind[1])


def _with_mirror(matrix: Any, symmetry: str) -> Any:
    if symmetry not in "SHZ":
        return matrix
    other = matrix.conj().T if symmetry == "H" else -matrix.T if symmetry == "Z" else matrix.T
    return matrix + other - need("scipy.sparse").diags(matrix.diagonal())


TEXTS: dict[str, Callable[[bytes], Any]] = {
    "entries": _of_entries,
    "table": _of_table,
    "metis": _of_metis,
    "harwell-boeing": _of_harwell_boeing,
}

# How files begin, and what reads them.
KINDS: list[tuple[tuple[bytes, ...], Callable[[bytes], Any]]] = [
    ((b"\x93NUMPY", b"PK\x03\x04"), _of_numpy),
    ((b"MATLAB 7.3", b"\x89HDF\r\n\x1a\n"), _of_hdf5),
    ((b"MATLAB ",), _of_matlab),
    ((b"\0\x12\x7b\x4e", b"\0\0\0\0\0\x12\x7b\x4e"), _of_petsc_vector),
    ((b"",), _of_matlab),  # versions before 5 have no name in them
]


def read(path: str, text: str | None) -> Any:
    """The matrix in a file: a sparse one of scipy's, or an array of one column."""
    try:
        data = read_file(path)
        kinds = (reader for begin, reader in KINDS if data.startswith(begin))
        matrix = (TEXTS[text] if text else next(kinds))(data)
        matrix = matrix.astype(
            matrix.dtype.newbyteorder("=")
        )  # mmwrite() takes others for integers
        return matrix if matrix.shape[1] == 1 else need("scipy.sparse").coo_matrix(matrix)
    except ToolError:
        raise
    except Exception as error:  # whatever the libraries of these formats throw
        raise input_error(path, f"cannot be read ({error}); --text says what a text is") from error


def main(argv: Sequence[str] | None = None) -> int:
    options = parser(MODULE, __doc__ or "")
    options.add_argument("file", metavar="FILE", help="of another program, packed by gzip or not")
    options.add_argument("--text", choices=sorted(TEXTS), help="what the text is")
    options.add_argument("-o", "--output", required=True, metavar="FILE.mtx", help="the new file")
    given = options.parse_args(argv)
    output = Output("-o", given.output, [("FILE", given.file)])
    written = io.BytesIO()
    matrix = read(given.file, given.text)
    need("scipy.io").mmwrite(written, matrix)
    output.write(written.getvalue())
    return ExitCode.OK


if __name__ == "__main__":
    sys.exit(run_tool(MODULE, main))
