"use strict";
// Draws the charts. Where a chart can be enlarged its scales end at the signals x0, x1, y0 and y1, which buttons, the wheel with Ctrl, and
// dragging change.
(() => {
  const ink = "var(--ink)", soft = "var(--soft)", rule = "var(--rule)";
  const font = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif';
  const padding = 5;
  const config = {
    background: null,
    padding,
    font,
    autosize: {type: "fit-x", contains: "padding"},
    view: {stroke: null},
    axis: {labelColor: soft, titleColor: soft, titleFontWeight: "normal", titleFontSize: 13.6, labelFontSize: 12, gridColor: rule, domain: false, ticks: false, labelPadding: 6},
    axisX: {titleAnchor: "end"},
    axisY: {titleAnchor: "end", titleAngle: 0, titleAlign: "left", titleBaseline: "bottom", titleX: 0, titleY: -10},
    text: {fontSize: 14.4, font},
  };
  // Numbers as in the text: 1 000 and 80 %, with thin spaces.
  const formatLocale = {decimal: ".", thousands: "\u202f", grouping: [3], currency: ["", ""], percent: "\u202f%"};
  const options = {renderer: "svg", actions: false, defaultStyle: false, ast: true, logLevel: 1, config, formatLocale, tooltip: {disableDefaultStyle: true, theme: "own"}};
  const widest = 64;
  const charts = [];  // those that are drawn

  // The ends of an axis; those of the whole were found at first.
  class Axis {
    constructor(view, name) {
      Object.assign(this, {view, name, low: view.signal(name + "0"), high: view.signal(name + "1")});
    }
    get begin() { return this.view.signal(this.name + "0"); }
    get length() { return this.view.signal(this.name + "1") - this.begin; }
    get whole() { return this.high - this.low; }
    show(begin, length) {
      const first = Math.min(this.high - length, Math.max(this.low, begin));
      this.view.signal(this.name + "0", first).signal(this.name + "1", first + length);
    }
    // Shows `times` as much; what is at `share` of the visible part stays where it is.
    zoom(times, share) {
      const length = Math.min(this.whole, Math.max(this.whole / widest, this.length * times));
      this.show(this.begin + share * (this.length - length), length);
    }
  }

  function zoomable(holder, view) {
    const axes = [...holder.dataset.zoom].map((name) => new Axis(view, name));
    const isZoomed = () => axes.some((axis) => axis.length < axis.whole);
    const changed = () => {
      holder.classList.toggle("zoomed", isZoomed());
      view.run();
    };
    const zoom = (times, at) => {
      for (const axis of axes) axis.zoom(times, at[axis.name]);
      changed();
    };
    // Where a pointer is within the chart, as shares of its width and height.
    const place = (event) => {
      const box = holder.querySelector("svg").getBoundingClientRect(), origin = view.origin();
      const share = (offset, length) => Math.min(1, Math.max(0, offset / length));
      return {x: share(event.clientX - box.left - origin[0], view.width()), y: share(event.clientY - box.top - origin[1], view.height())};
    };
    const buttons = document.createElement("div");
    buttons.className = "zoom";
    for (const [text, words, times] of [["−", "narrower", 2], ["+", "wider", 0.5], ["1:1", "all of it", Infinity]]) {
      const button = document.createElement("button");
      button.textContent = text;
      button.title = words;
      button.setAttribute("aria-label", words);
      button.addEventListener("click", () => zoom(times, {x: 0.5, y: 0.5}));
      buttons.append(button);
    }
    holder.prepend(buttons);
    holder.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;  // without, the page scrolls
      event.preventDefault();
      zoom(Math.pow(2, event.deltaY / 200), place(event));
    }, {passive: false});
    let last = null;  // where the pointer that drags was
    holder.addEventListener("pointerdown", (event) => { last = isZoomed() ? place(event) : null; });
    holder.addEventListener("pointermove", (event) => {
      if (!last || !event.buttons) { last = null; return; }
      const now = place(event);
      for (const axis of axes) axis.show(axis.begin - (now[axis.name] - last[axis.name]) * axis.length, axis.length);
      last = now;
      changed();
    });
  }

  // Rows of numbers in CSV. Vega's own reader makes code of the header, which the page's policy forbids.
  function rowsOf(csv) {
    const [head, ...lines] = csv.split("\n").map((line) => line.split(","));
    return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, Number(line[i])])));
  }

  async function draw(holder) {
    const place = holder.querySelector(".place");
    const spec = JSON.parse(holder.querySelector("script").textContent);
    if (spec.data && spec.data.format) spec.data = {values: rowsOf(spec.data.values)};
    if (holder.dataset.zoom === "xy") spec.height = place.offsetWidth - 2 * padding;  // a square
    const narrow = (spec.params || []).find((param) => param.name === "narrow");
    if (narrow && window.matchMedia("(max-width: 560px)").matches) {
      narrow.value = true;
      spec.height *= 1.75;
    }
    const {view} = await window.vegaEmbed(place, spec, options);
    if (holder.dataset.zoom) zoomable(holder, view);
    charts.push({place, view, zoom: holder.dataset.zoom, height: spec.height});
  }

  // Makes every chart as wide as its place is now, and a timeline that is a little too high for a sheet as high as that.
  function fit(highest) {
    for (const {place, view, zoom, height} of charts) {
      view.width(place.offsetWidth);
      if (zoom === "xy") view.height(place.offsetWidth - 2 * padding);
      if (zoom === "x") view.height(height < 2 * highest ? Math.min(height, highest) : height);
      view.run();
    }
  }

  async function drawAll() {
    for (const holder of document.querySelectorAll(".chart")) {
      await draw(holder).catch((error) => { holder.append("cannot be drawn: " + error.message); });
    }
    document.documentElement.dataset.state = "drawn";
  }
  document.documentElement.dataset.state = "drawing";
  drawAll();

  // On paper charts are as wide as the sheet, and no hidden part can be opened: it has what no chart shows.
  const page = document.documentElement;
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll(":is(.figure-modes, .figure-environment) details:not([open])")];
    for (const details of opened) details.open = true;
    page.classList.add("printing");
    fit(720);
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    page.classList.remove("printing");
    fit(Infinity);
  });
})();
