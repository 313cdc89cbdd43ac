"""The page of figures in Chromium: it draws everything, requests nothing from the network, shows values on hover, zooms charts, fits a
telephone, follows the system's light or dark theme, and prints. Skipped without Chromium.
"""

from __future__ import annotations

import packages

packages.need("altair", "jinja2", "vl_convert")

import re
import shutil
import subprocess
import unittest

from spmv_dist.report.__main__ import MODULE, main
from spmv_dist.report.figures import RUN_FIGURES
from tools import AT_MOST_S, FEW, ToolTest, call

BROWSER = next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    None,
)
HOSTILE = "<img src=x onerror=document.title=\"taken\"></script><script>document.title='taken'</script>.mtx"

# Uses the page like a reader, and sends what it found to the frame around it.
USE = r"""
const pause = () => new Promise((resolve) => setTimeout(resolve, 300));  // charts are drawn a moment later
const drawn = setInterval(async () => {
  if (document.documentElement.dataset.state !== "drawn") return;
  clearInterval(drawn);
  const told = [];
  const tell = (name, holds) => told.push(name + "=" + holds);
  const figure = (name) => document.querySelector(`section.run .figure-${name}`);
  const tip = () => {
    const element = document.getElementById("vg-tooltip-element");
    return element && element.classList.contains("visible") ? element.innerText.replace(/\s+/g, " ") : "";
  };
  const at = (element, type, x, y, more) => {
    const box = element.getBoundingClientRect();
    const where = {bubbles: true, cancelable: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height, ...more};
    element.dispatchEvent(type === "wheel" ? new WheelEvent(type, where) : new PointerEvent(type, where));
    if (type === "pointermove") element.dispatchEvent(new MouseEvent("mousemove", where));
  };
  const over = (element) => {
    at(element, "pointermove", 0.5, 0.5);
    return tip();
  };
  const marks = (name) => figure(name).querySelectorAll(".mark-rect.role-mark path, .mark-symbol.role-mark path");
  tell("bar", /mode (vector|naive|task).* median .*s.* range .* to /.test(over(marks("modes")[0])));
  tell("span", /phase \w+ mode \w+ rank 0 length .*s from .*s to .*s/.test(over(marks("timeline")[0])));
  tell("cell", /rows 0 to 46 columns 0 to 46 nonzeros \d+ most of rank \d/.test(over(figure("spy").querySelectorAll(".chart")[1].querySelector(".mark-rect path"))));
  tell("sent", /from rank \d to rank \d bytes \d+ \d{3}/.test(over(marks("communication")[0])));
  tell("dot", /mode \w+ GF\/s .* flop per byte .* allowed .* share/.test(over(marks("roofline")[marks("roofline").length - 1])));
  const labels = (name) => [...figure(name).querySelectorAll(".role-axis-label text")].filter((text) => text.getAttribute("opacity") !== "0").map((text) => text.textContent);
  tell("ranks", labels("imbalance").filter((label) => /^[\d.−-]+$/.test(label)).join() === "0,1,2");
  tell("percent", labels("imbalance").includes("100\u202f%"));
  const shades = new Set([...figure("spy").querySelectorAll(".mark-rect.role-mark path")].map((path) => path.getAttribute("opacity")));
  tell("shades", shades.has("0.35") && shades.has("1"));
  tell("every", [...document.querySelectorAll(".chart")].every((chart) => chart.querySelector("svg path, svg text")));
  for (const name of ["timeline", "spy"]) {
    const chart = figure(name).querySelector(".chart"), buttons = chart.querySelectorAll(".zoom button");
    const shape = () => [...chart.querySelectorAll(".mark-rect path")].map((path) => path.getAttribute("d")).join();
    const first = shape();
    buttons[1].click();
    buttons[1].click();
    await pause();
    const wide = shape();
    tell(name + ".zoom", wide !== first && chart.classList.contains("zoomed"));
    at(chart.querySelector("svg"), "pointerdown", 0.6, 0.5, {buttons: 1});
    at(chart.querySelector("svg"), "pointermove", 0.4, 0.5, {buttons: 1});
    await pause();
    tell(name + ".drag", shape() !== wide);
    buttons[2].click();
    await pause();
    tell(name + ".back", shape() === first && !chart.classList.contains("zoomed"));
    at(chart.querySelector("svg"), "wheel", 0.5, 0.5, {deltaY: -400});
    await pause();
    tell(name + ".scrolls", shape() === first);
    at(chart.querySelector("svg"), "wheel", 0.5, 0.5, {deltaY: -400, ctrlKey: true});
    await pause();
    tell(name + ".wheel", shape() !== first);
    buttons[2].click();
    await pause();
  }
  tell("fits", document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  tell("alone", performance.getEntriesByType("resource").length === 0);
  tell("untaken", document.title !== "taken" && document.querySelectorAll("img").length === 0);
  const sizes = [...document.querySelectorAll(".chart svg text")].map((text) => parseFloat(getComputedStyle(text).fontSize));
  tell("letters", sizes.length > 20 && Math.min(...sizes) >= 11);
  const colour = (element, property) => (getComputedStyle(element)[property].match(/[\d.]+/g) || []).map(Number);
  const paper = colour(document.body, "backgroundColor"), ink = colour(document.body, "color");
  const text = colour(figure("timeline").querySelector(".mark-text.role-mark text"), "fill");
  tell("ink", text.join() === ink.join());
  tell("theme", paper[0] > 200 && ink[0] < 60 ? "light" : paper[0] < 60 && ink[0] > 200 ? "dark" : "none");
  window.parent.postMessage(told.join(" ") + " width=" + window.innerWidth, "*");
}, 50);
"""

FRAME = """<!DOCTYPE html><script>
window.addEventListener("message", (event) => { document.body.dataset.told = event.data; });
</script><body><iframe src="used.html" width="%d" height="900" style="border:0"></iframe></body>
"""


class Browser(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        if BROWSER is None:
            self.skipTest("no chromium")
        (self.folder / "first.html").write_text("<!DOCTYPE html><p>here</p>")
        if "here" not in self.browse("first.html"):
            self.skipTest(f"{BROWSER} shows nothing here: {self.log[-200:]}")

    def browse(self, page: str, *options: str) -> str:
        """The page after its scripts have run."""
        ended = subprocess.run(
            [
                BROWSER or "", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                f"--user-data-dir={self.folder}/profile", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr",
                "--virtual-time-budget=60000", *options, "--dump-dom", f"file://{self.folder}/{page}",
            ],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=AT_MOST_S, check=False,
        )  # fmt: skip
        self.log = ended.stderr.decode(errors="replace")
        return ended.stdout.decode(errors="replace")

    def used(self, width: int, *options: str) -> str:
        """What USE reports. Windows cannot be as narrow as a telephone, but a frame can."""
        (self.folder / "frame.html").write_text(FRAME % width)
        dom = self.browse("frame.html", "--window-size=1300,1000", *options)
        found = re.search(r'data-told="([^"]*)"', dom)
        self.assertIsNotNone(found, self.log[-2000:])
        told = found.group(1) if found else ""
        self.assertNotIn("=false", told)
        self.assertIn(f" width={width}", told)
        return told

    def test_as_a_reader_uses_it(self) -> None:
        self.program(1, "generate", "powerlaw:3000,9,400", "-o", "m.mtx")
        hostile = self.folder / HOSTILE
        hostile.parent.mkdir(parents=True)
        (self.folder / "m.mtx").rename(hostile)
        options = ["--mode=vector,naive,task", "--format=csr", "--partition=metis", *FEW]
        for ranks in (1, 3):
            self.program(ranks, HOSTILE, *options, "--json", f"{ranks}.json")
        self.assertEqual(
            call(main, MODULE, self.folder, ["1.json", "3.json", "-o", "page.html"]).code, 0
        )

        dom = self.browse("page.html")
        self.assertNotIn("CONSOLE", self.log, "the browser complains")
        self.assertIn('data-state="drawn"', dom)
        self.assertNotIn(
            "cannot be drawn", re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)
        )
        for name in ["scaling", *(figure.name for figure in RUN_FIGURES)]:
            self.assertIn(f'<figure class="figure-{name}"', dom)

        # The page without its policy and with another script.
        html = (self.folder / "page.html").read_text()
        html = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", html)
        (self.folder / "used.html").write_text(f"{html}<script>{USE}</script>")
        for width in (390, 1200):
            self.assertIn(" theme=light", self.used(width))
        self.assertIn(" theme=dark", self.used(1200, "--blink-settings=preferredColorScheme=0"))

        self.browse("page.html", "--no-pdf-header-footer", f"--print-to-pdf={self.folder}/page.pdf")
        self.assertEqual((self.folder / "page.pdf").read_bytes()[:5], b"%PDF-")


if __name__ == "__main__":
    unittest.main()
