"""The picture of a density of states."""

from __future__ import annotations

import packages

packages.need("altair", "vl_convert")

import tempfile
import unittest
from pathlib import Path

from spmv_dist.density import draw, main, read_density
from spmv_dist.tool import Output, ToolError

WITH_ERROR = "energy,density,error\n-1,0.25,0.05\n0,0.5,0.1\n1.5,0.125,0\n"


class Pictures(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def test_points_and_their_band(self) -> None:
        rows = read_density(self.file("a.csv", WITH_ERROR))
        self.assertEqual(rows[1], {"energy": 0, "density": 0.5, "low": 0.4, "high": 0.6})
        rows = read_density(self.file("b.csv", "energy,density\n0,1\n1,2\n"))
        self.assertEqual(rows[1], {"energy": 1, "density": 2, "low": 2, "high": 2})

    def test_a_packed_file(self) -> None:
        packed = str(self.folder / "a.csv.gz")
        Output("-o", packed, []).write(WITH_ERROR)
        self.assertEqual((self.folder / "a.csv.gz").read_bytes()[:2], b"\x1f\x8b")
        self.assertEqual(read_density(packed), read_density(self.file("a.csv", WITH_ERROR)))
        (self.folder / "a.csv.gz").write_bytes((self.folder / "a.csv.gz").read_bytes()[:-9])
        with self.assertRaisesRegex(ToolError, "gzip"):
            read_density(packed)

    def test_a_line_and_a_band_of_every_file(self) -> None:
        curve = read_density(self.file("a.csv", WITH_ERROR))
        chart = draw({"one": curve, "two": curve}).to_dict()
        self.assertEqual([layer["mark"]["type"] for layer in chart["layer"]], ["area", "line"])
        self.assertEqual(chart["layer"][0]["encoding"]["y"]["field"], "low")
        self.assertEqual(chart["layer"][0]["encoding"]["y2"]["field"], "high")
        self.assertEqual(len(chart["data"]["values"]), 6)

    def test_files_of_both_kinds(self) -> None:
        a = self.file("a.csv", WITH_ERROR)
        for name, begin in (("out.svg", b"<svg"), ("out.png", b"\x89PNG")):
            self.assertEqual(main([a, "-o", str(self.folder / name)]), 0)
            self.assertTrue((self.folder / name).read_bytes().startswith(begin))

    def test_what_is_no_density_is_refused(self) -> None:
        for text in (
            "",
            "x,y\n1,2\n",
            WITH_ERROR + "2,3\n",
            WITH_ERROR + "2,nan,1\n",
            "energy,density\n0,1\n",
        ):
            with self.assertRaises(ToolError):
                read_density(self.file("bad.csv", text))
        with self.assertRaises(ToolError):
            read_density(str(self.folder / "none.csv"))
        with self.assertRaises(ToolError):
            main([self.file("a.csv", WITH_ERROR), "-o", "out.pdf"])


if __name__ == "__main__":
    unittest.main()
