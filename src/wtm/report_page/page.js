"use strict";
// The report of a model. Names and values come from anybody's data: they are set as text, never as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const { classes, columns, conditions, rules, unit } = data;
const nRules = rules.vote.length;
const votes = rules.vote.map(BigInt);
const weights = votes.map((vote) => Number(vote) * unit); // negative against a class
const OTHER = {}; // a category that no rule names
const PAGE = 15; // rules shown at first
const byId = (id) => document.getElementById(id);

// ---- The model: what wtm computes, with the same result ----

function holds(condition, value) {
  const isMissing = value === null;
  if ("is_missing" in condition) return isMissing === condition.is_missing;
  if ("values" in condition) {
    if (isMissing) return !condition.equal && condition.missing !== false;
    return condition.values.includes(value) === condition.equal;
  }
  if (isMissing) return condition.low === null && condition.missing !== false;
  return (condition.low === null || value > condition.low) && (condition.high === null || value <= condition.high);
}

/** Returns the votes on each class, and the rules that hold. Votes are added as integers, which rounds nothing. */
function evaluate(row) {
  const truth = conditions.map((condition) => holds(condition, row[condition.column]));
  const totals = classes.map(() => 0n);
  const held = [];
  for (let rule = 0; rule < nRules; rule++) {
    if (rules.conditions[rule].every((condition) => truth[condition])) {
      totals[rules.class[rule]] += votes[rule];
      held.push(rule);
    }
  }
  const first = totals.reduce((best, total, place) => (total > totals[best] ? place : best), 0);
  return { totals, held, predicted: first };
}

/** Returns what `WTMClassifier.class_sums` returns for the row. */
const classSums = (row) => evaluate(row).totals.map((total) => Number(total) * unit);

// ---- Elements ----

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const shorten = (text, length = 100) => (text.length > length ? `${text.slice(0, length)}…` : text);
const digits = (number) => String(Number(number.toPrecision(4)));
const signed = (number) => (number > 0 ? "+" : "") + digits(number).replace("-", "−");
const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);
const exactPercent = (share) => `${(100 * share).toFixed(2)} %`;
const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const name = (text, length) => element("span", { class: "name", title: text.length > 100 ? text : null }, text.trim() ? shorten(text, length) : JSON.stringify(text));

function bar(share, kind = "") {
  const fill = element("span", { class: `fill ${kind}` });
  fill.style.width = `${100 * Math.min(1, Math.max(0, share || 0))}%`;
  return element("span", { class: "bar", "aria-hidden": "true" }, fill);
}

/** Shows the conditions of a rule, the last ones behind a button if there are many. */
function ruleText(rule, shown = 6) {
  const parts = rules.conditions[rule].map((condition, place) => {
    const text = element("span", { class: "condition" }, name(conditions[condition].text));
    return element("span", {}, ...(place ? [element("span", { class: "and" }, " AND "), text] : [text]));
  });
  if (parts.length <= shown + 1) return element("span", {}, ...parts);
  const more = element("details", {}, element("summary", {}, `and ${parts.length - shown} more conditions`));
  more.append(...parts.slice(shown));
  return element("span", {}, ...parts.slice(0, shown), more);
}

function side(rule) {
  const isFor = weights[rule] > 0;
  const mark = element("span", { class: isFor ? "for" : "against" }, isFor ? "▲ for " : "▼ against ");
  return element("span", {}, mark, name(classes[rules.class[rule]], 40));
}

// ---- Overview ----

function showOverview() {
  const target = data.target ? ` for “${shorten(data.target, 60)}”` : "";
  byId("title").textContent = document.title = `Rules of a model${target}`;
  const nConditions = rules.conditions.reduce((total, of) => total + of.length, 0);
  byId("summary").textContent = `${counted(classes.length, "class").replace("classs", "classes")}, ` +
    `${counted(nRules, "rule")} with ${counted(nConditions, "condition")} on ${columns.length.toLocaleString("en")} of ` +
    `${counted(data.n_columns, "column")}`;
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const confusion = data.counts && data.counts.confusion;
  const perClass = element("table", { class: "compact" }, headRow(["Class", "Rules for", "Rules against",
    ...(confusion ? ["Rows", "Predicted correctly"] : data.counts ? ["Rows predicted"] : [])]));
  classes.forEach((label, place) => {
    const own = weights.filter((_, rule) => rules.class[rule] === place);
    const cells = [name(label, 60), own.filter((weight) => weight > 0).length, own.filter((weight) => weight < 0).length];
    if (confusion) {
      const rows = sum(confusion[place]);
      cells.push(rows.toLocaleString("en"), rows ? exactPercent(confusion[place][place] / rows) : "–");
    } else if (data.counts) cells.push(data.counts.predicted[place].toLocaleString("en"));
    perClass.append(element("tr", {}, ...cells.map((cell, i) => element(i ? "td" : "th", i ? {} : { scope: "row" }, cell))));
  });
  const body = byId("overview-body");
  if (confusion) {
    const all = sum(confusion.map(sum));
    const right = sum(confusion.map((row, place) => row[place]));
    const most = Math.max(...confusion.map(sum));
    body.append(element("p", { class: "big" }, `${exactPercent(right / all)} of ${counted(all, "row")} predicted correctly`),
      element("p", {}, `The most frequent class alone would give ${exactPercent(most / all)}.`));
  }
  body.append(element("div", { class: "scroll" }, perClass));
  if (confusion) body.append(element("h3", {}, "Confusion matrix"), confusionTable(confusion));
}

function headRow(titles) {
  return element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)));
}

function confusionTable(confusion) {
  const table = element("table", { class: "compact" }, headRow(["Label ↓ prediction →", ...classes.map((label) => shorten(label, 24))]));
  confusion.forEach((row, label) => {
    const cells = row.map((count, place) => {
      const kind = label === place ? "right" : count ? "wrong" : "none";
      return element("td", { class: kind }, count.toLocaleString("en"), kind === "wrong" ? " ✗" : "");
    });
    table.append(element("tr", {}, element("th", { scope: "row" }, name(classes[label], 24)), ...cells));
  });
  return element("div", { class: "scroll" }, table);
}

// ---- The table of rules ----

const texts = rules.conditions.map((of) => of.map((condition) => conditions[condition].text).join(" AND "));
const sizes = weights.map(Math.abs);
const largest = (values) => values.reduce((most, value) => Math.max(most, value || 0), 0) || 1;
const withBar = (text, share) => element("span", {}, element("span", { class: "number" }, text), bar(share));
const RULE_COLUMNS = [
  { key: "side", title: "Votes", values: rules.class.map((label, rule) => 2 * label + (weights[rule] < 0)), cell: side, ascending: true },
  { key: "weight", title: "Weight", values: sizes, cell: (rule) => withBar(digits(sizes[rule]), sizes[rule] / largest(sizes)) },
  ...["support", "precision", "separation"].filter((key) => key in rules).map((key) => {
    const most = key === "separation" ? largest(rules[key]) : 1;
    const text = key === "separation" ? digits : percent;
    return { key, title: key[0].toUpperCase() + key.slice(1), values: rules[key],
      cell: (rule) => withBar(text(rules[key][rule]), rules[key][rule] / most) };
  }),
  { key: "conditions", title: "Conditions", values: rules.conditions.map((of) => of.length), cell: ruleText, ascending: true },
];
const view = { column: null, ascending: false, shown: PAGE };

function chosenRules() {
  const words = byId("rules-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const label = byId("rules-class").value;
  const chosen = [];
  texts.forEach((text, rule) => {
    const searched = text.toLowerCase();
    if (words.every((word) => searched.includes(word)) && (label === "" || rules.class[rule] === Number(label))) chosen.push(rule);
  });
  if (view.column) {
    const values = view.column.values;
    const sign = view.ascending ? 1 : -1;
    chosen.sort((one, other) => sign * ((values[one] ?? -1) - (values[other] ?? -1)) || one - other);
  }
  return chosen;
}

function showRules() {
  const chosen = chosenRules();
  const head = element("tr", {}, ...RULE_COLUMNS.map((column) => {
    const isSorted = view.column === column;
    const arrow = isSorted ? (view.ascending ? " ↑" : " ↓") : "";
    const order = isSorted ? (view.ascending ? "ascending" : "descending") : "none";
    return element("th", { scope: "col", "aria-sort": order },
      element("button", { type: "button", "data-key": column.key, onclick: () => sortBy(column) }, column.title + arrow));
  }));
  const body = element("tbody", {}, ...chosen.slice(0, view.shown).map((rule) => element("tr", {},
    ...RULE_COLUMNS.map((column) => element("td", { "data-title": column.title, class: column.key }, column.cell(rule))))));
  byId("rules-table").replaceChildren(element("thead", {}, head), body);
  byId("rules-found").textContent = chosen.length === nRules ? counted(nRules, "rule") : `${chosen.length} of ${counted(nRules, "rule")}`;
  byId("rules-more").hidden = chosen.length <= view.shown;
}

function sortBy(column) {
  view.ascending = view.column === column ? !view.ascending : Boolean(column.ascending);
  view.column = column;
  showRules();
  document.querySelector(`#rules-table [data-key="${column.key}"]`).focus();
}

function prepareRules() {
  byId("rules-order").textContent = "separation" in rules
    ? "First come those that separate the classes most: support is the share of rows for which a rule holds, precision " +
      "the share of these whose label agrees, and separation is large where a heavy rule holds for one class only."
    : "The heaviest come first.";
  if (!("precision" in rules)) byId("rules-order").textContent = byId("rules-order").textContent.replace(" precision the share of these whose label agrees,", "");
  byId("rules-class").append(element("option", { value: "" }, "all"),
    ...classes.map((label, place) => element("option", { value: place }, shorten(label, 60))));
  const again = () => { view.shown = PAGE; showRules(); };
  byId("rules-search").addEventListener("input", again);
  byId("rules-class").addEventListener("change", again);
  byId("rules-more").addEventListener("click", () => { view.shown += 4 * PAGE; showRules(); });
  showRules();
}

// ---- Importance of the columns ----

const byImportance = columns.map((_, place) => place).sort((one, other) => columns[other].importance - columns[one].importance || one - other);

function showColumns(shown) {
  const most = largest(columns.map((column) => column.importance));
  byId("columns-list").replaceChildren(...byImportance.slice(0, shown).map((place) => element("li", {},
    name(columns[place].name, 60), element("span", { class: "number" }, percent(columns[place].importance)),
    bar(columns[place].importance / most))));
  byId("columns-more").hidden = columns.length <= shown;
}

// ---- Images ----

function draw(canvas, colourOf) {
  const [height, width] = data.image;
  canvas.width = width;
  canvas.height = height;
  const pixels = new ImageData(width, height);
  for (let place = 0; place < width * height; place++) pixels.data.set(colourOf(place), 4 * place);
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

/** Returns for each pixel the votes of rules that need it on, minus those of rules that need it off. */
function pixelVotes(label) {
  const pixels = new Array(data.image[0] * data.image[1]).fill(0);
  for (let rule = 0; rule < nRules; rule++) {
    if (rules.class[rule] !== label) continue;
    for (const id of rules.conditions[rule]) {
      const position = columns[conditions[id].column].position;
      if (conditions[id].low != null) pixels[position] += weights[rule];
      if (conditions[id].high != null) pixels[position] -= weights[rule];
    }
  }
  return pixels;
}

function showImages() {
  classes.forEach((label, place) => {
    const pixels = pixelVotes(place);
    const most = largest(pixels.map(Math.abs));
    const canvas = element("canvas", { class: "image", role: "img", "aria-label": `Votes of the pixels on ${shorten(label)}` });
    draw(canvas, (pixel) => [...(pixels[pixel] > 0 ? [11, 107, 184] : [217, 111, 0]), 255 * Math.abs(pixels[pixel]) / most]);
    byId("images-body").append(element("figure", {}, canvas, element("figcaption", {}, name(label, 40))));
  });
}

// ---- Rows, and what changes their class ----

const state = { original: [], row: [], shownColumns: 40, rival: null };

function prepareRows() {
  if (!data.rows.length) {
    data.rows.push({ number: null, label: null, values: columns.map((column) => column.start), nearest: null });
    byId("rows-intro").textContent = "The report was made without rows, so this one is made up. Change a value to see what happens to the decision.";
  }
  data.rows.forEach((row, place) => {
    const predicted = evaluate(row.values).predicted;
    const isWrong = row.label !== null && row.label !== predicted;
    const of = `${shorten(classes[predicted], 40)}${isWrong ? ` ✗, label ${shorten(classes[row.label], 40)}` : ""}`;
    byId("row-choice").append(element("option", { value: place }, row.number === null ? "made up" : `row ${row.number.toLocaleString("en")}: ${of}`));
  });
  const choice = byId("row-choice");
  const step = (by) => { choice.selectedIndex = (choice.selectedIndex + by + data.rows.length) % data.rows.length; showRow(); };
  choice.addEventListener("change", showRow);
  byId("row-previous").addEventListener("click", () => step(-1));
  byId("row-next").addEventListener("click", () => step(1));
  byId("row-reset").addEventListener("click", showRow);
  byId("row-form").addEventListener("submit", (event) => event.preventDefault());
  byId("values-search").addEventListener("input", showValues);
  byId("values-more").addEventListener("click", () => { state.shownColumns = columns.length; showValues(); });
  byId("values-search-label").hidden = columns.length < 10;
  if (data.image) byId("row-image").addEventListener("click", flipPixel);
  byId("row-previous").hidden = byId("row-next").hidden = data.rows.length === 1;
  showRow();
}

function showRow() {
  state.original = data.rows[byId("row-choice").selectedIndex].values;
  state.row = [...state.original];
  state.before = evaluate(state.original);
  state.rival = null;
  showValues();
  showDecision();
}

function change(place, value) {
  state.row[place] = value;
  showDecision();
}

function showValues() {
  const word = byId("values-search").value.toLowerCase();
  const found = byImportance.filter((place) => columns[place].name.toLowerCase().includes(word));
  byId("values").replaceChildren(...found.slice(0, state.shownColumns).map((place) =>
    element("label", { "data-column": place }, name(columns[place].name, 60), control(place))));
  byId("values-more").hidden = found.length <= state.shownColumns;
  markChanges();
}

/** Makes the input for a column: numbers are typed, and everything else is chosen. */
function control(place) {
  const column = columns[place];
  const value = state.row[place];
  if (column.values === null) {
    const input = element("input", { type: "number", step: "any", placeholder: "missing", value: value === null ? "" : String(value) });
    input.addEventListener("input", () => {
      if (!input.validity.badInput) change(place, input.value === "" ? null : Number(input.value));
    });
    return input;
  }
  const choices = [...column.values];
  const own = state.original[place];
  if (own !== null && !choices.some(([known]) => known === own)) choices.push([own, String(own)]);
  if (!column.is_binary) choices.push([OTHER, "another value"]);
  choices.push([null, "missing"]);
  const select = element("select", { onchange: () => change(place, choices[select.selectedIndex][0]) },
    ...choices.map(([, text]) => element("option", {}, shorten(text, 60))));
  select.selectedIndex = choices.findIndex(([known]) => known === value);
  return select;
}

function markChanges() {
  for (const label of byId("values").children) {
    const place = Number(label.dataset.column);
    label.classList.toggle("changed", state.row[place] !== state.original[place]);
  }
  const isChanged = state.row.some((value, place) => value !== state.original[place]);
  byId("row-reset").disabled = !isChanged;
  if (data.image) drawRow();
  return isChanged;
}

function showDecision() {
  const isChanged = markChanges();
  const now = evaluate(state.row);
  const { label, nearest } = data.rows[byId("row-choice").selectedIndex];
  const turned = now.predicted !== state.before.predicted;
  const sums = now.totals.map((total) => Number(total) * unit);
  const most = largest(sums.map(Math.abs));
  const decision = [element("p", { class: turned ? "big turned" : "big" }, turned ? "Now predicted: " : "Predicted: ", element("strong", {}, name(classes[now.predicted], 60)))];
  if (isChanged) decision.push(element("p", {}, turned ? `Before your changes: ${shorten(classes[state.before.predicted], 60)}.` : "Your changes leave the decision as it was."));
  if (label !== null) decision.push(element("p", {}, `Label of the row: ${shorten(classes[label], 60)}${label === state.before.predicted ? "." : ", so the model was wrong."}`));
  const table = element("table", { class: "compact sums" }, headRow(["Class", "Sum of votes", ""]));
  classes.forEach((text, place) => {
    const before = Number(state.before.totals[place]) * unit;
    const was = isChanged && before !== sums[place] ? ` (was ${signed(before)})` : "";
    table.append(element("tr", { class: place === now.predicted ? "predicted" : null }, element("th", { scope: "row" }, name(text, 40)),
      element("td", {}, signed(sums[place]) + was), element("td", {}, bar(Math.abs(sums[place]) / most, sums[place] < 0 ? "against" : "for"))));
  });
  decision.push(element("div", { class: "scroll" }, table));
  if (nearest) decision.push(nearestChange(nearest));
  byId("decision").replaceChildren(...decision);
  showReasons(now);
}

function nearestChange(nearest) {
  const text = element("p", {}, "Nearest change: ", name(nearest.text, 300));
  if (nearest.changes.length) text.append(" ", element("button", { type: "button", onclick: () => {
    state.row = [...state.original];
    for (const id of nearest.changes) state.row[conditions[id].column] = valueFor(conditions[id]);
    showValues();
    showDecision();
  } }, "Make this change"));
  return text;
}

/** Returns a value for which a condition holds. */
function valueFor(condition) {
  const column = columns[condition.column];
  if ("is_missing" in condition) return condition.is_missing ? null : column.start;
  if ("values" in condition) {
    if (condition.equal) return condition.values[0];
    const others = column.values.map(([value]) => value).filter((value) => !condition.values.includes(value));
    return others.length ? others[0] : OTHER;
  }
  if (column.is_binary) return condition.low === null ? 0 : 1;
  return condition.high ?? condition.low + Math.max(1, Math.abs(condition.low));
}

/** Lists the rules that speak for the predicted class rather than another one, and those that speak against it. */
function showReasons(now) {
  const { held, predicted, totals } = now;
  const others = totals.map((_, place) => place).filter((place) => place !== predicted);
  const strongest = others.reduce((best, place) => (totals[place] > totals[best] ? place : best), others[0]);
  const rival = state.rival === null || state.rival === predicted ? strongest : state.rival;
  const effect = (rule) => (rules.class[rule] === predicted ? weights[rule] : rules.class[rule] === rival ? -weights[rule] : 0);
  const list = (title, chosen, total) => {
    const sorted = chosen.filter(effect).sort((one, other) => Math.abs(effect(other)) - Math.abs(effect(one)));
    const most = largest(sorted.map((rule) => Math.abs(effect(rule))));
    const item = (rule) => element("li", { class: state.before.held.includes(rule) ? null : "new" },
      element("span", { class: "number" }, signed(effect(rule))), bar(Math.abs(effect(rule)) / most, effect(rule) > 0 ? "for" : "against"),
      element("span", {}, ruleText(rule), " → ", side(rule), state.before.held.includes(rule) ? "" : " (new)"));
    const items = element("ol", { class: "reasons" }, ...sorted.slice(0, 8).map(item));
    const parts = [element("h4", {}, `${title}: ${counted(sorted.length, "rule")}${total(sorted)}`), items];
    if (sorted.length > 8) parts.push(element("button", { type: "button", onclick: (event) => {
      items.append(...sorted.slice(8).map(item));
      event.target.remove();
    } }, `Show ${sorted.length - 8} more`));
    return sorted.length ? parts : [];
  };
  const sum = (chosen) => `, together ${signed(chosen.reduce((total, rule) => total + effect(rule), 0))}`;
  const select = element("select", { "aria-label": "Class to compare with", onchange: () => { state.rival = others[select.selectedIndex]; showReasons(now); } },
    ...others.map((place) => element("option", {}, shorten(classes[place], 40))));
  select.selectedIndex = others.indexOf(rival);
  const lost = state.before.held.filter((rule) => !held.includes(rule));
  byId("reasons").replaceChildren(
    element("h3", {}, "Why ", name(classes[predicted], 40), " and not ", others.length > 1 ? select : name(classes[rival], 40), "?"),
    element("p", {}, `The sum is ahead by ${digits(Number(totals[predicted] - totals[rival]) * unit)}. A rule for ${shorten(classes[predicted], 40)} adds its weight to the lead, and so does a rule against ${shorten(classes[rival], 40)}.`),
    ...list("Speak for it", held.filter((rule) => effect(rule) > 0), sum),
    ...list("Speak against it", held.filter((rule) => effect(rule) < 0), sum),
    ...list("Hold no longer after your changes", lost, () => ""));
}

function drawRow() {
  const canvas = byId("row-image");
  canvas.hidden = false;
  const shades = new Array(data.image[0] * data.image[1]).fill(0);
  const changed = new Set();
  columns.forEach((column, place) => {
    shades[column.position] = state.row[place] || 0;
    if (state.row[place] !== state.original[place]) changed.add(column.position);
  });
  const most = largest(shades);
  canvas.title = "Click a pixel to turn it on or off";
  draw(canvas, (pixel) => (changed.has(pixel) ? [217, 111, 0, 110 + 145 * shades[pixel] / most] : [90, 100, 110, 255 * shades[pixel] / most]));
}

function flipPixel(event) {
  const [height, width] = data.image;
  const box = event.target.getBoundingClientRect();
  const x = Math.floor((event.clientX - box.left) / box.width * width);
  const y = Math.floor((event.clientY - box.top) / box.height * height);
  const place = columns.findIndex((column) => column.position === y * width + x);
  if (place < 0) return; // no rule looks at it
  state.row[place] = state.row[place] ? 0 : largest(state.original);
  showValues();
  showDecision();
}

showOverview();
prepareRules();
showColumns(20);
byId("columns-more").addEventListener("click", () => showColumns(columns.length));
if (data.image) showImages();
byId("images").hidden = byId("to-images").hidden = !data.image;
prepareRows();
