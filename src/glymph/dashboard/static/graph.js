// The graph on a canvas: groups as discs from afar, memories and links from near.
(() => {
  "use strict";
  const root = document.querySelector(".graph");
  if (!root) return;
  const canvas = document.getElementById("canvas");
  const pen = canvas.getContext("2d", { alpha: false });
  const legend = document.getElementById("legend");
  const GOLDEN = 2.399963229728653, GAP = 9, NEAR = 0.55, MOST_LINKS = 7000, MOVING_LINKS = 400, FRAMES = 300, MANY = 2000;
  const STAGES = ["active", "weak", "dormant"], STAGE_WORDS = ["active", "fading", "dormant"];
  const PALETTE = ["#2f8f6b", "#4d7fb3", "#b3783c", "#8a63a8", "#b3566c", "#5f8f3f", "#3d9aa0", "#8f8247", "#6b75c9", "#a05f43", "#7a8b99", "#548f7d"];
  let data, n, x, y, group, groups, starts, ends, degree, coloured = [], colours = [], colourBy = "stage";
  let scale = 1, left = 0, top = 0, width = 0, height = 0, asked = false;
  let focus = -1, depth = 1, shown = null, hover = -1, matches = null, theme = {}, resting = 0, picture = null;
  const mixed = new Map();  // colours as pixels
  canvas.frames = [];  // how long the last drawings took, in ms

  const readTheme = () => {
    mixed.clear();
    const style = getComputedStyle(document.documentElement);
    for (const name of ["card", "ink", "soft", "line", "active", "weak", "dormant", "archived", "trashed", "accent"])
      theme[name] = style.getPropertyValue(`--${name}`).trim();
  };

  // what belongs together: each memory takes over the label that its links carry most of
  const findGroups = () => {
    degree = new Uint32Array(n);
    for (const end of data.edges) degree[end]++;
    starts = new Uint32Array(n + 1);
    for (let i = 0; i < n; i++) starts[i + 1] = starts[i] + degree[i];
    ends = new Uint32Array(data.edges.length);
    const heavy = new Float32Array(data.edges.length), at = starts.slice(0, n);
    for (let e = 0; e < data.weights.length; e++) {
      const a = data.edges[2 * e], b = data.edges[2 * e + 1], w = data.weights[e];
      heavy[at[a]] = w; ends[at[a]++] = b;
      heavy[at[b]] = w; ends[at[b]++] = a;
    }
    const label = Int32Array.from({ length: n }, (_, i) => i), sum = new Float32Array(n);
    for (let round = 0; round < 8; round++) {
      let moved = 0;
      for (let i = 0; i < n; i++) {
        let best = label[i], most = 0;
        for (let k = starts[i]; k < starts[i + 1]; k++) {
          const one = label[ends[k]];
          sum[one] += heavy[k];
          if (sum[one] > most || (sum[one] === most && one < best)) { most = sum[one]; best = one; }
        }
        for (let k = starts[i]; k < starts[i + 1]; k++) sum[label[ends[k]]] = 0;
        if (best !== label[i]) { label[i] = best; moved++; }
      }
      if (moved < n / 200) break;
    }
    const members = new Map();
    for (let i = 0; i < n; i++) {
      if (!members.has(label[i])) members.set(label[i], []);
      members.get(label[i]).push(i);
    }
    groups = [...members.values()].sort((a, b) => b.length - a.length || a[0] - b[0]).map((all) => ({ all }));
  };

  // groups in a spiral by their area, the members of each like the seeds of a sunflower
  const place = () => {
    x = new Float32Array(n); y = new Float32Array(n); group = new Int32Array(n);
    let area = 0;
    groups.forEach((one, number) => {
      one.r = GAP * Math.sqrt(one.all.length) + GAP * 0.9;
      area += one.r * one.r * (one.all.length > 1 ? 1.75 : 0.9);
      const far = number ? Math.sqrt(area) : 0, turn = number * GOLDEN;
      one.x = Math.cos(turn) * far; one.y = Math.sin(turn) * far;
      one.all.sort((a, b) => degree[b] - degree[a] || a - b).forEach((i, k) => {
        const r = GAP * Math.sqrt(k + 0.3), t = k * GOLDEN + number;
        x[i] = one.x + Math.cos(t) * r; y[i] = one.y + Math.sin(t) * r; group[i] = number;
      });
    });
  };

  const mix = (a, b, t) => {
    const read = (c) => [1, 3, 5].map((k) => parseInt(c.slice(k, k + 2), 16));
    const [p, q] = [read(a), read(b)];
    return `rgb(${p.map((v, k) => Math.round(v + (q[k] - v) * t)).join(" ")})`;
  };
  const paint = () => {
    const ways = {
      stage: () => { colours = STAGES.map((one) => theme[one]); return (i) => data.stage[i]; },
      heat: () => { colours = Array.from({ length: 8 }, (_, k) => k < 4 ? mix(theme.active, theme.weak, k / 4) : mix(theme.weak, theme.trashed, (k - 4) / 3)); return (i) => Math.min(7, Math.floor((1 - data.presence[i]) * 8)); },
      group: () => { colours = PALETTE; return (i) => group[i] % PALETTE.length; },
      kind: () => { colours = PALETTE; return (i) => data.kind[i] % PALETTE.length; },
    };
    const of = ways[colourBy]();
    data.colour = Uint8Array.from({ length: n }, (_, i) => of(i));
    coloured = colours.map(() => []);
    for (let i = 0; i < n; i++) coloured[data.colour[i]].push(i);
    for (const one of groups) {
      const counts = new Uint32Array(colours.length);
      for (const i of one.all) counts[data.colour[i]]++;
      one.colour = counts.indexOf(Math.max(...counts));
    }
    const keys = { stage: STAGE_WORDS, heat: ["fresh", "", "", "", "", "", "", "stale"], group: [], kind: data.kinds.slice(0, PALETTE.length) }[colourBy];
    const many = (count, one, more) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
    const counts = [many(n, "memory", "memories"), many(data.weights.length, "link", "links"), many(groups.filter((g) => g.all.length > 1).length, "group", "groups")];
    const told = document.createElement("span");
    told.textContent = `${counts.join(", ")}.${colourBy === "group" ? " A colour a group." : ""}${data.left_out ? ` ${many(data.left_out, "more is", "more are")} not drawn.` : ""}`;
    legend.replaceChildren(told, ...keys.map((word, k) => {
      const key = document.createElement("span");
      key.className = "key"; key.textContent = word; key.style.setProperty("--key", colours[k]);
      return key;
    }));
  };

  const around = () => {
    if (focus < 0) { shown = matches; return; }
    shown = new Set([focus]);
    let edge = [focus];
    for (let d = 0; d < depth; d++) {
      const next = [];
      for (const i of edge) for (let k = starts[i]; k < starts[i + 1]; k++)
        if (!shown.has(ends[k])) { shown.add(ends[k]); next.push(ends[k]); }
      edge = next;
    }
  };

  const draw = () => {
    asked = false;
    const began = performance.now();
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.fillStyle = theme.card; pen.fillRect(0, 0, width, height);
    const far = scale < NEAR && !shown;
    if (n > MANY && resting) { dots(far); if (!far) labels(); } else if (n) (far ? drawFar : drawNear)();
    canvas.frames.push(performance.now() - began);
    if (canvas.frames.length > FRAMES) canvas.frames.shift();
  };
  // Thousands of dots in a moving picture are written as pixels: a browser without a graphics card
  // takes several times as long to fill as many rectangles.
  const pixelOf = (colour, alpha = 1) => {
    const key = `${colour} ${alpha}`;
    if (!mixed.has(key)) {
      const one = new OffscreenCanvas(1, 1).getContext("2d");
      one.fillStyle = theme.card; one.fillRect(0, 0, 1, 1);
      one.globalAlpha = alpha; one.fillStyle = colour; one.fillRect(0, 0, 1, 1);
      mixed.set(key, new Uint32Array(one.getImageData(0, 0, 1, 1).data.buffer)[0]);
    }
    return mixed.get(key);
  };
  const dots = (far) => {
    const w = canvas.width, h = canvas.height, zoomed = devicePixelRatio;
    if (picture?.width !== w || picture.height !== h) picture = pen.createImageData(w, h);
    const pixels = new Uint32Array(picture.data.buffer);
    pixels.fill(pixelOf(theme.card));
    const dot = (px, py, r, paint) => {
      const cx = Math.round(px * zoomed), cy = Math.round(py * zoomed), R = Math.max(1, Math.round(r * zoomed));
      if (cx < -R || cy < -R || cx > w + R || cy > h + R) return;
      for (let dy = Math.max(-R, -cy); dy < Math.min(R, h - cy); dy++) {
        const half = R < 3 ? R : Math.round(Math.sqrt(R * R - (dy + 0.5) * (dy + 0.5)));
        const row = (cy + dy) * w, end = row + Math.min(w, cx + half);
        for (let at = row + Math.max(0, cx - half); at < end; at++) pixels[at] = paint;
      }
    };
    const link = (ax, ay, bx, by, paint) => {  // from the end that is in the picture to where the line leaves it
      if (!inside(ax, ay, 0)) [ax, ay, bx, by] = [bx, by, ax, ay];
      const steps = Math.ceil(Math.max(Math.abs(bx - ax), Math.abs(by - ay)) * zoomed) || 1;
      const dx = (bx - ax) * zoomed / steps, dy = (by - ay) * zoomed / steps;
      for (let k = 0, px = ax * zoomed, py = ay * zoomed; k < steps && px >= 0 && py >= 0 && px < w && py < h; k++, px += dx, py += dy)
        pixels[(py | 0) * w + (px | 0)] = paint;
    };
    if (!far) eachLink(MOVING_LINKS, (ax, ay, bx, by) => link(ax, ay, bx, by, pixelOf(theme.soft, shown ? 0.5 : 0.3)));
    if (far) for (const one of groups) dot(one.x * scale + left, one.y * scale + top, Math.max(1.2, (one.r - GAP * 0.4) * scale), pixelOf(colours[one.colour], 0.8));
    else for (const dim of shown ? [true, false] : [false]) coloured.forEach((all, c) => {
      const paint = pixelOf(dim ? theme.line : colours[c]);
      for (const i of all) if (!shown || shown.has(i) !== dim) dot(x[i] * scale + left, y[i] * scale + top, radius(), paint);
    });
    pen.putImageData(picture, 0, 0);
  };
  const drawFar = () => {
    const batches = colours.map(() => []);
    for (const one of groups) batches[one.colour].push(one);
    batches.forEach((all, colour) => {
      pen.fillStyle = colours[colour]; pen.globalAlpha = 0.8; pen.beginPath();
      for (const one of all) {
        const r = Math.max(1.2, (one.r - GAP * 0.4) * scale), px = one.x * scale + left, py = one.y * scale + top;
        if (px < -r || py < -r || px > width + r || py > height + r) continue;
        if (r < 2) pen.rect(px - r, py - r, 2 * r, 2 * r);
        else { pen.moveTo(px + r, py); pen.arc(px, py, r, 0, 7); }
      }
      pen.fill();
    });
    pen.globalAlpha = 1;
  };
  const radius = () => Math.max(1.6, Math.min(7, 3.8 * scale));
  const inside = (px, py, margin = 40) => px > -margin && py > -margin && px < width + margin && py < height + margin;
  const eachLink = (most, act) => {
    let drawn = 0;
    for (let e = 0; e < data.weights.length && drawn < most; e++) {
      const a = data.edges[2 * e], b = data.edges[2 * e + 1];
      if (shown && !(shown.has(a) && shown.has(b))) continue;
      const ax = x[a] * scale + left, ay = y[a] * scale + top, bx = x[b] * scale + left, by = y[b] * scale + top;
      if (!inside(ax, ay) && !inside(bx, by)) continue;
      act(ax, ay, bx, by); drawn++;
    }
  };
  const lines = () => {
    const few = data.weights.length < 400;
    pen.lineWidth = shown || few ? 1.2 : 0.7; pen.strokeStyle = theme.soft; pen.globalAlpha = shown || few ? 0.6 : 0.22; pen.beginPath();
    eachLink(resting ? MOVING_LINKS : MOST_LINKS, (ax, ay, bx, by) => { pen.moveTo(ax, ay); pen.lineTo(bx, by); });
    pen.stroke();
    pen.globalAlpha = 1;
  };
  const drawNear = () => {
    const r = radius();
    // Squares on whole pixels need no smoothing: in a moving picture nobody sees the difference.
    const square = r < (resting ? 5 : 2.2), side = Math.round(2 * r);
    lines();
    for (const dim of shown ? [true, false] : [false]) for (let c = 0; c < colours.length; c++) {
      pen.fillStyle = dim ? theme.line : colours[c]; pen.globalAlpha = 1; pen.beginPath();
      for (const i of coloured[c]) {
        if (shown && shown.has(i) === dim) continue;
        const px = x[i] * scale + left, py = y[i] * scale + top;
        if (!inside(px, py)) continue;
        if (square) pen.fillRect(Math.round(px - r), Math.round(py - r), side, side);
        else { pen.moveTo(px + r, py); pen.arc(px, py, r, 0, 7); }
      }
      if (!square) pen.fill();
    }
    pen.globalAlpha = 1;
    labels();
  };
  const labels = () => {
    const r = radius();
    pen.font = "13px system-ui, sans-serif"; pen.fillStyle = theme.ink;
    const wanted = new Set();
    if (focus >= 0) wanted.add(focus);
    if (hover >= 0) wanted.add(hover);
    if (shown && shown.size <= 30) for (const i of shown) wanted.add(i);
    for (const i of wanted) {
      const px = x[i] * scale + left, py = y[i] * scale + top, words = data.titles[i].slice(0, i === hover || i === focus ? 60 : 28);
      const long = pen.measureText(words).width, at = Math.min(px + r + 5, Math.max(4, width - long - 8));
      pen.fillStyle = theme.card; pen.globalAlpha = 0.85; pen.fillRect(at - 3, py - 10, long + 6, 19);
      pen.globalAlpha = 1; pen.fillStyle = theme.ink; pen.fillText(words, at, py + 4);
      if (i === focus) { pen.strokeStyle = theme.accent; pen.lineWidth = 2; pen.beginPath(); pen.arc(px, py, r + 3, 0, 7); pen.stroke(); }
    }
  };
  // While somebody moves the picture less of it is drawn; once it rests, all.
  const move = () => { clearTimeout(resting); resting = setTimeout(() => { resting = 0; later(); }, 160); later(); };
  const later = () => { if (!asked) { asked = true; requestAnimationFrame(draw); } };

  const size = () => {
    width = root.clientWidth; height = root.clientHeight;
    canvas.width = Math.round(width * devicePixelRatio); canvas.height = Math.round(height * devicePixelRatio);
    later();
  };
  const fit = (ids) => {
    let l = Infinity, t = Infinity, r = -Infinity, b = -Infinity;
    const take = (px, py, by) => { l = Math.min(l, px - by); r = Math.max(r, px + by); t = Math.min(t, py - by); b = Math.max(b, py + by); };
    if (ids) for (const i of ids) take(x[i], y[i], 40); else for (const one of groups) take(one.x, one.y, one.r);
    if (l === Infinity) return;
    const free = height - legend.offsetHeight - 12;  // the legend lies over the rest
    scale = Math.min(3, 0.94 * Math.min(width / (r - l), free / (b - t)));
    left = width / 2 - (l + r) / 2 * scale; top = free / 2 - (t + b) / 2 * scale;
    later();
  };
  const zoom = (by, cx = width / 2, cy = height / 2) => {
    const next = Math.max(0.01, Math.min(12, scale * by));
    left = cx - (cx - left) * next / scale; top = cy - (cy - top) * next / scale; scale = next; move();
  };
  const under = (px, py) => {
    let best = -1, near = 14 * 14;
    for (let i = 0; i < n; i++) {
      const dx = x[i] * scale + left - px, dy = y[i] * scale + top - py, d = dx * dx + dy * dy;
      if (d < near && (!shown || shown.has(i) || focus < 0)) { near = d; best = i; }
    }
    return best;
  };
  const groupUnder = (px, py) => groups.find((one) => Math.hypot(one.x * scale + left - px, one.y * scale + top - py) < Math.max(8, one.r * scale));
  const look = (i) => {
    depth = i === focus ? depth + 1 : 1; focus = i; around(); fit(shown.size < 400 ? shown : null);
    htmx.ajax("GET", root.dataset.card.replace(/\/(\?|$)/, `/${data.ids[i]}$1`), "#card");
  };
  const whole = () => { focus = -1; matches = null; around(); document.getElementById("card").replaceChildren(); fit(); };

  const pointers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); pointers.set(event.pointerId, event); moved = 0; });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      const found = scale < NEAR && !shown ? -1 : under(event.offsetX, event.offsetY);
      if (found !== hover) { hover = found; canvas.style.cursor = found < 0 ? "grab" : "pointer"; later(); }
      return;
    }
    const others = [...pointers.values()].filter((one) => one.pointerId !== event.pointerId);
    if (others.length) {
      const far = (one) => Math.hypot(one.offsetX - others[0].offsetX, one.offsetY - others[0].offsetY);
      zoom(far(event) / Math.max(1, far(before)), event.offsetX, event.offsetY);
    } else { left += event.offsetX - before.offsetX; top += event.offsetY - before.offsetY; move(); }
    moved += Math.abs(event.offsetX - before.offsetX) + Math.abs(event.offsetY - before.offsetY);
    pointers.set(event.pointerId, event);
  });
  const lift = (event) => {
    if (!pointers.delete(event.pointerId) || moved > 5 || event.type === "pointercancel") return;
    if (scale < NEAR && !shown) { const one = groupUnder(event.offsetX, event.offsetY); if (one) { fit(one.all); if (scale < NEAR) zoom(NEAR * 1.2 / scale); } return; }
    const found = under(event.offsetX, event.offsetY);
    if (found >= 0) look(found);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const acts = {
      "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), ArrowLeft: () => { left += 60; later(); }, ArrowRight: () => { left -= 60; later(); },
      ArrowUp: () => { top += 60; later(); }, ArrowDown: () => { top -= 60; later(); }, Escape: whole, Enter: () => { if (focus >= 0) look(focus); },
    };
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  });
  document.getElementById("whole").addEventListener("click", whole);
  document.getElementById("colour").addEventListener("change", (event) => { colourBy = event.target.value; paint(); later(); });
  document.getElementById("find").addEventListener("input", (event) => {
    const words = event.target.value.trim().toLowerCase();
    focus = -1; matches = null;
    if (words) { matches = new Set(); data.titles.forEach((one, i) => { if (one.toLowerCase().includes(words)) matches.add(i); }); }
    around();
    if (matches?.size && matches.size < 200) fit(matches); else later();
  });
  const retheme = () => { readTheme(); if (data) { paint(); later(); } };
  addEventListener("themechange", retheme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", retheme);
  new ResizeObserver(size).observe(root);

  readTheme();
  fetch(root.dataset.source, { credentials: "same-origin" }).then((answer) => {
    if (!answer.ok || answer.redirected) throw new Error("The graph cannot be read. Load the page again.");
    return answer.json();
  }).then((found) => {
    data = found; n = data.ids.length;
    if (!n) { legend.textContent = "There is nothing to draw yet. Memories and their links appear here as soon as there are some."; groups = []; return; }
    findGroups(); place(); paint(); size(); fit();
    const wanted = data.ids.indexOf(root.dataset.focus);
    if (wanted >= 0) look(wanted);
    canvas.dataset.ready = "yes";
  }).catch((error) => { legend.textContent = error.message; });
})();
