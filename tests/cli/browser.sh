#!/usr/bin/env bash
# The page of figures in a browser: everything is shown, the script runs, nothing is asked of the network, and the page fits a telephone.
# Skipped where there is no Chromium.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$folder" || exit 1
for name in chromium chromium-browser google-chrome; do command -v "$name" >/dev/null && browser=$name && break; done
if [ -z "${browser:-}" ]; then
  echo "skipped: no chromium"
  exit 77
fi

# browse OPTIONS... FILE: sets $folder/dom, the page as the browser has it after its scripts, and $folder/console, what it complains about.
browse() {
  local file=${!#}
  timeout "$at_most" "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$folder/profile" --no-first-run \
    --disable-background-networking --disable-component-update --host-resolver-rules='MAP * ~NOTFOUND' \
    --enable-logging=stderr "${@:1:$#-1}" --dump-dom "file://$folder/$file" >dom 2>log </dev/null
  grep CONSOLE log >console
}

echo '<!DOCTYPE html><p>here</p>' >first.html
browse first.html
if ! grep -q here dom; then # it is installed, but cannot run
  echo "skipped: $browser shows nothing here: $(tail -1 log)"
  exit 77
fi

hostile="<img src=x onerror=document.title=\"taken\"><script>document.title='taken'</script>.mtx"
mkdir -p "$(dirname "$hostile")"
expect 0 1 generate powerlaw:3000,9,400 -o m.mtx
mv m.mtx "$hostile"
for ranks in 1 3; do
  expect 0 "$ranks" "$hostile" --mode vector,naive,task --format csr --partition metis --backend host "${quick[@]}" --json "$ranks.json"
done
expect 0 1 report 1.json 3.json -o page.html

browse page.html
[ -s console ] && fail "the browser complains: $(head -3 console)"
for name in scaling modes overlap timeline roofline spy communication imbalance row_lengths environment; do
  grep -q "<figure class=\"figure-$name\"" dom || fail "no figure $name in the browser"
done
grep -q '<div class="zoom">' dom || fail "the script has not run"

# With its policy taken away and a script added, which uses the page as a reader does.
cat >use.js <<'J'
window.addEventListener("load", () => {
  const told = [];
  const tell = (name, holds) => told.push(name + "=" + holds);
  const tip = document.getElementById("tip");
  const at = (element, x, y) => {
    const box = element.getBoundingClientRect();
    element.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height}));
    return tip.hidden ? "" : tip.textContent;
  };
  const figure = (name) => document.querySelector(`section.run .figure-${name}`);
  tell("bar", /median .* to /.test(at(figure("modes").querySelector("rect"), 0.5, 0.5)));
  tell("span", /rank 0, .*: .*s, from /.test(at(figure("timeline").querySelector("svg rect[data-title]"), 0.5, 0.5)));
  const spies = figure("spy").querySelectorAll("svg.cells");
  tell("cell", /^rows 0 to 46, columns 0 to 46: \d+ nonzero elements, most of them of rank \d$/.test(at(spies[1], 0.001, 0.001)));
  tell("sent", /^from rank 0, to rank 0: 0 bytes$/.test(at(figure("communication").querySelector("svg.cells"), 0.01, 0.01)));
  tell("nothing", at(document.body, 0, 0) === "");
  const chart = figure("timeline").querySelector(".timeline");
  const wide = chart.querySelector(".wide"), before = wide.offsetWidth;
  chart.querySelectorAll(".zoom button")[1].click();
  chart.querySelectorAll(".zoom button")[1].click();
  tell("zoom", Math.abs(wide.offsetWidth / before - 4) < 0.1 && getComputedStyle(chart.querySelector(".level4")).display !== "none");
  chart.querySelectorAll(".zoom button")[2].click();
  tell("back", wide.offsetWidth === before && getComputedStyle(chart.querySelector(".level4")).display === "none");
  tell("fits", document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  tell("alone", performance.getEntriesByType("resource").length === 0);
  tell("untaken", document.title !== "taken" && document.querySelectorAll("img").length === 0);
  const letters = getComputedStyle(figure("timeline").querySelector(".ys span")).fontSize;
  tell("letters", parseFloat(letters) >= 11);
  const paper = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
  const ink = getComputedStyle(document.body).color.match(/\d+/g).map(Number);
  tell("theme", paper[0] > 200 && ink[0] < 60 ? "light" : paper[0] < 60 && ink[0] > 200 ? "dark" : "none");
  window.parent.postMessage(told.join(" ") + " width=" + window.innerWidth, "*");
});
J
{ sed '/http-equiv="Content-Security-Policy"/d' page.html && echo '<script>' && cat use.js && echo '</script>'; } >used.html
# used WIDTH OPTIONS...: sets $told. No window is as narrow as a telephone, but a frame is.
used() {
  cat >frame.html <<H
<!DOCTYPE html><script>window.addEventListener("message", (event) => { document.body.dataset.told = event.data; });</script>
<body><iframe src="used.html" width="$1" height="900" style="border:0"></iframe></body>
H
  browse "${@:2}" --window-size=1300,1000 --virtual-time-budget=5000 frame.html
  told=$(sed -n 's/.* data-told="\([^"]*\)".*/\1/p' dom)
  if [[ " $told " != *" width=$1 "* || $told == *=false* ]]; then fail "at width $1: ${told:-nothing told}"; fi
}
for width in 390 1200; do
  used "$width"
  [[ $told == *theme=light* ]] || fail "no light theme: $told"
done
used 1200 --blink-settings=preferredColorScheme=0
[[ $told == *theme=dark* ]] || fail "no dark theme: $told"

# On paper.
timeout "$at_most" "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --no-pdf-header-footer --print-to-pdf="$folder/page.pdf" \
  "file://$folder/page.html" >/dev/null 2>&1 </dev/null
[ "$(head -c 5 page.pdf)" = %PDF- ] || fail "cannot be printed"
finish
