"use strict";
const at = (id) => document.getElementById(id);
/** An element with attributes and children, which are elements or texts. */
const make = (name, attributes, ...children) => {
  const svg = ["line", "polyline", "text"].includes(name);
  const made = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const fill = (id, ...children) => at(id).replaceChildren(...children);
/** A number with its thousands apart. */
const full = (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
/** A number in few characters. */
const short = (number) => {
  for (const [size, unit] of [[1e9, " G"], [1e6, " M"], [1e4, " k"]]) {
    if (number >= size) return (number / (unit === " k" ? 1e3 : size)).toFixed(1) + unit;
  }
  return number >= 100 || Number.isInteger(number) ? number.toFixed(0) : number.toFixed(1);
};
const percent = (share) => (100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0) + " %";
const count = (number, one, many) => `${full(number)} ${number === 1 ? one : many}`;

/** A bar with a label and a value; parts are a share, a colour and what they mean. */
const row = (label, about, parts, value) => {
  const bar = make("div", { class: "bar" });
  for (const [share, colour, meaning] of parts) {
    const part = make("i", { class: "c" + colour, title: meaning });
    part.style.width = 100 * Math.min(share, 1) + "%";
    bar.append(part);
  }
  const name = make("span", { class: "label", title: about }, label);
  return make("div", { class: "row" }, name, bar, make("span", { class: "value" }, value));
};

const table = (title, heads, rows) => {
  const head = heads.map((name, i) => make("th", i === heads.length - 1 ? { class: "n" } : {}, name));
  const body = rows.map((cells) => make("tr", {},
    ...cells.map((cell, i) => make("td", i === cells.length - 1 ? { class: "n" } : {}, cell))));
  return make("div", {}, make("h3", {}, title), make("table", {},
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
};

const fact = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, value));

const progress = (s) => {
  at("bar").className = "c0";
  at("bar").style.width = 100 * Math.min(s.accesses[0] / Math.max(s.accesses[1], 1), 1) + "%";
  const of = ([done, all]) => `${full(done)} of ${full(all)}`;
  const facts = [
    fact("loads and atomics", `${of(s.accesses)} (${percent(s.accesses[0] / Math.max(s.accesses[1], 1))})`),
    fact("cycle", full(s.cycle)),
    fact("kernels ended", of(s.kernels)),
    fact("work-groups started", of(s.groups)),
    fact("cycles per second", short(s.speed)),
    fact("time", `${Math.floor(s.seconds / 60)}:${String(s.seconds % 60).padStart(2, "0")}`
      + (s.left ? `, ${s.left}` : "")),
  ];
  if (s.verdict === null && s.running.length) facts.push(fact("kernel", s.running.join(", ")));
  fill("facts", ...facts);
};

/** Shares of the peaks, oldest first. */
const history = [];
const MOST = 120;

const throughput = (s) => {
  at("interval").textContent = s.verdict === null ? "in the last interval" : "over the whole run";
  fill("levels", ...s.levels.map((level, i) => {
    const share = level.rate / level.peak;
    const value = `${short(level.rate)} B/cycle, ${percent(share)}`;
    return row(level.name, level.about, [[share, i, `peak: ${short(level.peak)} B/cycle`]], value);
  }));
  if (s.verdict !== null) return;
  history.push(s.levels.map((level) => level.rate / level.peak));
  if (history.length > MOST) history.shift();
  const most = Math.max(...history.flat(), 0.01);
  const top = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((step) => step >= most) || 1;
  const x = (i) => 64 + (796 * i) / Math.max(history.length - 1, 20);
  const y = (share) => 144 - (126 * Math.min(share, top)) / top;
  const marks = [0, 0.5, 1].flatMap((part) => [
    make("line", { class: "grid", x1: 64, x2: 860, y1: y(part * top), y2: y(part * top) }),
    make("text", { class: "axis", x: 58, y: y(part * top) + 4, "text-anchor": "end" }, percent(part * top)),
  ]);
  const lines = s.levels.map((_, i) => make("polyline", {
    class: "line s" + i,
    points: history.map((shares, n) => `${x(n).toFixed(1)},${y(shares[i]).toFixed(1)}`).join(" "),
  }));
  at("chart").replaceChildren(at("chart").firstElementChild, ...marks, ...lines);
  at("over-time").hidden = history.length < 2;
};

const occupancy = (s) => {
  const slots = Math.max(s.slots, 1);
  const resident = s.waves.reduce((sum, [, number]) => sum + number, 0);
  const parts = s.waves.map(([name, number], i) => [number / slots, i, `${name}: ${full(number)}`]);
  const legend = s.waves.map(([name, number], i) =>
    make("span", {}, make("i", { class: "key c" + i }), `${name}: ${full(number)}`));
  fill("waves", row("resident", "wave slots in use", parts, `${full(resident)} of ${full(s.slots)}`),
    make("p", { class: "legend" }, ...legend));
  fill("occupancy", ...s.occupancy.map((used) => {
    const share = used.used / used.of;
    const value = `${full(used.used)} of ${full(used.of)}` + (used.full ? `, ${full(used.full)} full` : "");
    const about = `${full(used.full)} of ${full(used.number)} have no free entry`;
    return row(used.name, about, [[share, used.full ? 1 : 0, percent(share)]], value);
  }));
};

const waits = (s) => {
  at("idle").hidden = s.kinds.length > 0;
  const both = (entry) => [entry.requests && count(entry.requests, "request", "requests"),
    entry.queues && count(entry.queues, "full queue", "full queues")].filter(Boolean).join(", ");
  const tables = [];
  if (s.kinds.length) {
    tables.push(table("By kind", ["waiting", "for", "behind"],
      s.kinds.map((entry) => [entry.from, entry.to, both(entry)])));
  }
  if (s.ends.length) {
    tables.push(table("Where full queues lead", ["component", "waits itself for replies", "full queues"],
      s.ends.map((end) => [end.name, end.replies.slice(0, 3).join(", ") || "none", full(end.chains)])));
  }
  if (s.full.length) {
    tables.push(table("Longest full queues", ["waiting", "for", "queue", "entries"],
      s.full.map((wait) => [wait.from, wait.to, wait.queue, full(wait.number)])));
  }
  if (s.requests.length) {
    tables.push(table("Most requests without a reply", ["waiting", "for", "requests"],
      s.requests.map((wait) => [wait.from, wait.to, full(wait.number)])));
  }
  fill("waits", make("div", { class: "tables" }, ...tables));
};

const show = (s) => {
  const status = at("status");
  status.className = s.verdict === null ? "" : s.passed ? "pass" : "fail";
  status.textContent = s.verdict === null ? "running" : `ended: ${s.verdict}`;
  progress(s);
  throughput(s);
  occupancy(s);
  waits(s);
};

/** An answer comes when there is a newer state, or the last one. */
const follow = async (s) => {
  try {
    while (s.verdict === null) {
      const answer = await fetch("state?after=" + s.number, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.status);
      s = await answer.json();
      show(s);
    }
  } catch {
    at("status").className = "fail";
    at("status").textContent = "no answer: the run has ended, or was stopped; this is its last state";
  }
};

const first = JSON.parse(at("state").textContent);
show(first);
follow(first);
