"use strict";
// Text and elements. Names and values come from anybody's data: they are set as text, never as HTML.

const byId = (id) => document.getElementById(id);
const shorten = (text, length = 100) => (text.length > length ? `${text.slice(0, length)}…` : text);
const digits = (number) => String(Number(number.toPrecision(4))).replace("-", "−");
const signed = (number) => (number > 0 ? "+" : "") + digits(number);
const percent = (share, decimals = 1) => (share === null ? "–" : `${(100 * share).toFixed(decimals)} %`);
const counted = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const largest = (numbers) => numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0) || 1;
const folded = (text) => text.toLowerCase().replace(/\s+/g, " ").trim(); // as searches compare texts
const label = (place) => shorten(classes[place], 40);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function nameOf(text, length = 100) {
  const shown = text.trim() ? shorten(text, length) : JSON.stringify(text);
  return element("span", { class: "name", title: text.length > length ? text : null }, shown);
}

function bar(share, kind = "") {
  const fill = element("span", { class: `fill ${kind}` });
  fill.style.width = `${100 * Math.min(1, share || 0)}%`;
  return element("span", { class: "bar", "aria-hidden": "true" }, fill);
}

const withBar = (text, share) => element("span", {}, element("span", { class: "number" }, text), bar(share));
const button = (text, onclick) => element("button", { type: "button", onclick }, text);

const STEP = 200; // of what a click shows more

/** Writes on a button how many more it shows; hides it if nothing is left. */
function offerMore(id, nLeft, one) {
  byId(id).hidden = nLeft <= 0;
  byId(id).textContent = `Show ${counted(Math.min(nLeft, STEP), one)}`;
}

/** Hides a part of the report and the links to it. */
function hidePart(id) {
  document.querySelectorAll(`#${id}, [href="#${id}"]`).forEach((part) => { part.hidden = true; });
}

/** Makes a table; the first cell of each row is its heading, and cells can be elements. */
function table(titles, rows, kind = "") {
  const head = element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)));
  const body = rows.map(([heading, ...cells]) => element("tr", {},
    element("th", { scope: "row" }, heading),
    ...cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : element("td", {}, cell)))));
  return element("div", { class: "scroll" }, element("table", { class: `compact ${kind}` }, head, ...body));
}
