"""Parts of a scaling study: shell words, points and their file, the table."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

from spmv_dist.scale.point import point_of, with_ranks
from spmv_dist.scale.points_file import PointsFile, line_of, parse_json
from spmv_dist.scale.table import scaling_table
from spmv_dist.shell import shell_word, shell_words, valid_utf8
from spmv_dist.tool import ToolError


def point(ranks: int, mode: str, median_s: float, **more: Any) -> dict[str, Any]:
    texts = {
        "matrix": "m",
        "partition": "rows",
        "format": "csr",
        "transport": "auto",
        "mode": mode,
        "options": "",
        "commit": "c",
    }
    return {**texts, "ranks": ranks, "nonzeros": 100, "median_s": median_s, "measured": {}, **more}


class ShellWords(unittest.TestCase):
    def test_what_is_not_plain_is_quoted(self) -> None:
        for word, quoted in {
            "--format=csr,pjds": "--format=csr,pjds",
            "/a/b-c_1.mtx": "/a/b-c_1.mtx",
            "": "''",
            "A=b": "'A=b'",  # would be an assignment
            "a b#$(c)": "'a b#$(c)'",
            "it's": r"'it'\''s'",
            "~": "'~'",
            "é": "'é'",
            "a\n": r"$'a\012'",
            "a\n'1": r"$'a\012\'1'",  # on one line; the digits after it stay separate
            "\\\x1b": r"$'\\\033'",
        }.items():
            self.assertEqual(shell_word(word), quoted)
        self.assertEqual(shell_words(["a", "b c"]), "a 'b c'")

    def test_bytes_that_are_not_utf8_are_shown(self) -> None:
        self.assertEqual(valid_utf8("a\udce9\n\u00e9"), "a\\xe9\n\u00e9")


class Matrices(unittest.TestCase):
    def test_they_grow_with_the_ranks(self) -> None:
        self.assertEqual(with_ranks("stencil7:8,8,{4*ranks}", 3), "stencil7:8,8,12")
        self.assertEqual(with_ranks("{ranks}_{10*ranks}.mtx", 2), "2_20.mtx")
        for text in ("a", "{", "{ranks", "{rank}", "{x*ranks}", "{4ranks}", "{}", "}{"):
            self.assertEqual(with_ranks(text, 2), text)


class Table(unittest.TestCase):
    def test_efficiency_is_against_the_fastest_on_the_fewest_ranks(self) -> None:
        table = scaling_table(
            [point(4, "task", 1e-5), point(1, "vector", 4e-5), point(1, "task", 5e-5)]
        )
        for line, mode, efficiency in zip(
            table.splitlines()[1:], ("vector", "task", "task"), ("100 %", "80 %", "100 %")
        ):
            self.assertIn(f" {mode} ", line)
            self.assertTrue(line.endswith(f"  {efficiency}"), line)

    def test_hidden_is_a_dash_without_a_halo_and_where_it_is_not_known(self) -> None:
        def row(halo: float, low: float, high: float, alone: float) -> str:
            measured = {
                "median_low_s": low,
                "median_high_s": high,
                "halo_alone_s": alone,
                "hidden_share": 0.25,
            }
            return scaling_table(
                [point(2, "task", 1e-5, measured=measured, partition_stats={"halo_total": halo})]
            )

        self.assertIn(" 25 %", row(9, 9e-6, 11e-6, 3e-6))
        self.assertNotIn(" 25 %", row(0, 9e-6, 11e-6, 3e-6), "no halo, as on one rank")
        self.assertNotIn(" 25 %", row(9, 9e-6, 11e-6, 1e-6), "the median is not known so well")
        self.assertNotIn(" 25 %", row(9, 1e-6, 1e-6, 0), "the halo took no time")
        self.assertNotIn(" 0 % ", scaling_table([point(1, "task", 1e-5)]))

    def test_names_are_text_and_what_was_left_out_is_named(self) -> None:
        left = point(2, "\x1b[31m", 0, left_out="no\nGPU")
        del left["measured"]
        self.assertIn(
            r"left out: \x1b[31m over auto, csr, rows, 2 ranks: no\x0aGPU", scaling_table([left])
        )


class Points(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name) / "points.jsonl"

    def file(self) -> PointsFile:
        file = PointsFile(str(self.path))
        self.addCleanup(file.close)
        return file

    def reopened(self) -> tuple[bool, list[dict[str, Any]]]:
        file = PointsFile(str(self.path))
        file.close()
        return file.was_torn, file.lines

    def test_a_torn_last_line_is_cut_off(self) -> None:
        two = [point(1, "vector", 1), point(2, "vector", 1)]
        file = PointsFile(str(self.path))
        file.append(two)
        file.close()
        whole = self.path.read_bytes()
        last = line_of(point(4, "vector", 1))
        for kept in range(1, len(last)):
            self.path.write_bytes(whole + last[:kept])
            self.assertEqual(self.reopened(), (True, two))
            self.assertEqual(self.path.read_bytes(), whole)
        file = self.file()
        self.assertFalse(file.was_torn)
        self.assertTrue(file.has(point_of(point(2, "vector", 7), "")))
        self.assertFalse(file.has(point_of(point(2, "task", 1), "")))
        file.append([point(2, "task", 1)])
        self.assertTrue(file.has(point_of(point(2, "task", 1), "")))

    def test_one_study_writes_a_file(self) -> None:
        self.file()
        with self.assertRaisesRegex(ToolError, "another study"):
            PointsFile(str(self.path))

    def test_what_is_no_point_is_named(self) -> None:
        lines = [b"7", b"nonsense", b"{}", b'{"matrix": 1}', b"", b"\xff", b"[" * 100000]
        for key, value in (
            ("ranks", 0),
            ("ranks", True),
            ("ranks", 1.5),
            ("median_s", -1),
            ("measured", None),
            ("mode", 3),
        ):
            lines.append(line_of({**point(1, "vector", 1), key: value})[:-1])
        lines.append(
            line_of(point(1, "vector", 1)).replace(b'"median_s":1', b'"median_s":NaN')[:-1]
        )
        for line in lines:
            self.path.write_bytes(line_of(point(1, "vector", 1)) + line + b"\n")
            with self.assertRaisesRegex(
                ToolError, ":2: no point of a study: .*remove the line"
            ) as caught:
                PointsFile(str(self.path))
            self.assertEqual(caught.exception.code, 4)

    def test_any_text_makes_a_line(self) -> None:
        line = line_of(point(1, "\udce9\ud800\n\u00e9", 1))
        self.assertEqual(line.count(b"\n"), 1)
        self.assertIsNotNone(parse_json(line))


if __name__ == "__main__":
    unittest.main()
