
"use strict";
// The page is complete without this: titles become quick, also for fingers; grids tell their cells' values; charts can be drawn wider.
(() => {
  const tip = document.getElementById("tip");

  function show(text, event) {
    tip.textContent = text;
    tip.hidden = false;
    const room = 12;
    const left = Math.min(event.clientX + room, window.innerWidth - tip.offsetWidth - room);
    const above = event.clientY + room + tip.offsetHeight > window.innerHeight;
    tip.style.left = Math.max(room, left) + "px";
    tip.style.top = (above ? event.clientY - room - tip.offsetHeight : event.clientY + room) + "px";
  }

  // The ids that a row or a column of cells stands for, as words.
  function ids(cell, side, all, perCell) {
    const first = perCell > 0 ? cell * perCell : Math.ceil(cell * all / side);
    const last = Math.min(perCell > 0 ? first + perCell : Math.ceil((cell + 1) * all / side), all) - 1;
    return last > first ? first + " to " + last : String(first);
  }

  const values = new WeakMap();  // of each grid: "row,col" -> [value, colour]
  function cellText(svg, event) {
    const data = svg.dataset;
    if (!values.has(svg)) {
      const cells = new Map();
      for (const cell of data.cells.split(";")) {
        const [row, col, value, colour] = cell.split(",");
        cells.set(row + "," + col, [value, colour]);
      }
      values.set(svg, cells);
    }
    const box = svg.getBoundingClientRect();
    const side = Number(data.side);
    const row = Math.floor((event.clientY - box.top) / box.height * side);
    const col = Math.floor((event.clientX - box.left) / box.width * side);
    const [value, colour] = values.get(svg).get(row + "," + col) || ["0", ""];
    const perCell = Number(data.ids);
    const where = data.row + " " + ids(row, side, Number(data.rowIds), perCell) + ", " + data.col + " " + ids(col, side, Number(data.colIds), perCell);
    const whose = data.colour && colour !== "" ? ", " + data.colour + " " + colour : "";
    return where + ": " + Number(value).toLocaleString("en") + " " + data.value + whose;
  }

  function point(event) {
    const target = event.target instanceof Element ? event.target : null;
    const grid = target && target.closest("svg.cells");
    if (grid) return show(cellText(grid, event), event);
    if (target && target.dataset.title) return show(target.dataset.title, event);
    tip.hidden = true;
  }
  for (const title of document.querySelectorAll("svg title")) {  // or the browser would show its own beside ours
    title.parentNode.dataset.title = title.textContent;
    title.remove();
  }
  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", point);
  document.addEventListener("pointerleave", () => { tip.hidden = true; });
  document.addEventListener("scroll", () => { tip.hidden = true; }, true);

  // Paper has no hidden parts.
  window.addEventListener("beforeprint", () => { for (const details of document.querySelectorAll("details")) details.open = true; });

  const widest = 64;
  function zoomed(holder) {
    const inner = holder.querySelector(".wide");
    const outer = holder.querySelector(".window");
    let factor = 1;
    // Keeps what is at this share of the visible part where it is.
    function zoom(to, shareX, shareY) {
      const x = (outer.scrollLeft + shareX * outer.clientWidth) / inner.offsetWidth;
      const y = (outer.scrollTop + shareY * outer.clientHeight) / inner.offsetHeight;
      factor = Math.max(1, Math.min(widest, to));
      inner.style.setProperty("--zoom", factor);
      holder.classList.toggle("zoom4", factor >= 4 && factor < 16);
      holder.classList.toggle("zoom16", factor >= 16);
      outer.scrollLeft = x * inner.offsetWidth - shareX * outer.clientWidth;
      outer.scrollTop = y * inner.offsetHeight - shareY * outer.clientHeight;
    }
    const buttons = document.createElement("div");
    buttons.className = "zoom";
    for (const [text, words, times] of [["−", "narrower", 0.5], ["+", "wider", 2], ["1:1", "as wide as the page", 0]]) {
      const button = document.createElement("button");
      button.textContent = text;
      button.title = words;
      button.setAttribute("aria-label", words);
      button.addEventListener("click", () => zoom(times ? factor * times : 1, 0.5, 0.5));
      buttons.append(button);
    }
    holder.prepend(buttons);
    outer.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;  // without, the page scrolls
      event.preventDefault();
      const box = outer.getBoundingClientRect();
      zoom(factor * Math.pow(2, -event.deltaY / 200), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, {passive: false});
    let last = null;  // where the pointer that drags was
    outer.addEventListener("pointerdown", (event) => { if (factor > 1 && event.pointerType === "mouse") last = event; });
    outer.addEventListener("pointermove", (event) => {
      if (!last || !event.buttons) { last = null; return; }
      outer.scrollLeft -= event.clientX - last.clientX;
      outer.scrollTop -= event.clientY - last.clientY;
      last = event;
    });
  }
  document.querySelectorAll("[data-zooms]").forEach(zoomed);
})();
