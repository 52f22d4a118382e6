"use strict";
// The parts of the report, from top to bottom.

/** Shows the conditions of a rule; the last ones have to be opened if there are many. */
function ruleText(rule, now = null, shown = 6) {
  const parts = isFuzzy ? cardParts(rule, now) : rules.conditions[rule].map((id, place) => element("span", {},
    ...(place ? [element("span", { class: "and" }, " AND ")] : []), nameOf(conditions[id].text)));
  const title = isFuzzy ? [cardTitle(rule, now)] : [];
  if (parts.length <= shown + 1) return element("span", {}, ...title, ...parts);
  const summary = element("summary", {}, `and ${parts.length - shown} more ${isFuzzy ? "columns" : "conditions"}`);
  return element("span", {}, ...title, ...parts.slice(0, shown), element("details", {}, summary, ...parts.slice(shown)));
}

/** Says how many conditions of a fuzzy rule are needed and, of a row, how many hold. */
function cardTitle(rule, now) {
  const [least, of] = [needed[rule], rules.of[rule]];
  const text = least < 1 ? `always, and more for each of ${of}` : least < of ? `at least ${least} of ${of}` : `all ${of}`;
  return element("strong", {}, now ? `${filled(rule, now.truth)} of ${of} hold, ${least < 1 ? "none is needed" : `${least} needed`}: ` : `${text}: `);
}

/** Shows the conditions of a fuzzy rule, column by column, with their points; of a row, whether they hold. */
function cardParts(rule, now) {
  const ids = rules.conditions[rule];
  const ofColumns = [...new Set(ids.map((id) => conditions[id].column))].map((column) =>
    [...ids.keys()].filter((place) => conditions[ids[place]].column === column));
  return ofColumns.map((places) => {
    const isPlain = places.length === 1 && rules.points[rule][places[0]] === 1;
    const met = now ? places.filter((place) => now.truth[ids[place]]) : [];
    const texts = (met.length ? met : places).flatMap((place, i) => [i ? ", " : "",
      isPlain ? "" : `${rules.points[rule][place]} for `, nameOf(conditions[ids[place]].text)]);
    if (!now) return element("span", { class: "of-card" }, ...texts);
    return element("span", { class: `of-card ${met.length ? "" : "fails"}` }, met.length ? "✓ " : "✗ ", ...texts);
  });
}

function side(rule) {
  const isUp = votes[rule] > 0n;
  const [kind, verb] = isUp ? ["for", numbers ? "▲ adds" : "▲ for "] : ["against", numbers ? "▼ subtracts" : "▼ against "];
  const what = numbers && classes.length === 1 ? "" : nameOf(classes[rules.class[rule]], 40);
  return element("span", {}, element("span", { class: kind }, verb + (numbers && what ? (isUp ? " to " : " from ") : "")), what);
}

// ---- Overview ----

const MANY_RULES = 100;

function showOverview() {
  byId("title").textContent = document.title = `Rules of a model${data.target ? ` for “${shorten(data.target, 60)}”` : ""}`;
  const nConditions = sum(isFuzzy ? rules.of : rules.conditions.map((ofRule) => ofRule.length));
  const outputs = numbers ? counted(classes.length, "predicted number") : counted(classes.length, "class", "classes");
  byId("summary").textContent = `${outputs}, ${counted(votes.length, isFuzzy ? "fuzzy rule" : "rule")} with ` +
    `${counted(nConditions, "condition")} on ${columns.length.toLocaleString("en")} of ${counted(data.n_columns, "column")}`;
  const body = byId("overview-body");
  if (votes.length > MANY_RULES) {
    const methods = isFuzzy ? "refit and prune" : "refit, prune and simplify";
    body.append(element("p", {}, `${counted(votes.length, "rule")} are hard to read as a whole. ${methods}, methods of the ` +
      `${numbers ? "regressor" : "classifier"} and commands of wtm, make a model of fewer${isFuzzy ? "" : " and shorter"} rules.`));
  }
  if (numbers) showErrors(body);
  else showCounts(body);
  if (!body.childElementCount) hidePart("overview");
}

/** Shows how far the predicted numbers are from the true ones. */
function showErrors(body) {
  if (!counts || !counts.outputs) return;
  counts.outputs.forEach((found, place) => {
    if (classes.length > 1) body.append(element("h3", {}, nameOf(classes[place], 40)));
    const r2 = found.r2 === null ? "not defined" : digits(found.r2);
    body.append(
      element("p", { class: "big" }, `R squared ${r2} on ${counted(counts.n_rows, "row")}`),
      element("p", {}, `The root of the mean squared error is ${digits(found.rmse)}, and ${digits(found.rmse_of_mean)} if the mean of ` +
        `the rows were always predicted; the mean absolute error is ${digits(found.mae)}. Rows that the model was trained on count too, if the data hold some.`),
      scatter(found.pairs));
  });
}

const SVG = "http://www.w3.org/2000/svg";

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Draws true and predicted numbers of some rows as points. */
function scatter(pairs) {
  const all = pairs.flat();
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const [size, left, below] = [300, 62, 40];
  const at = (value) => (high > low ? ((value - low) / (high - low)) * size : size / 2);
  const text = (x, y, anchor, content, more = {}) => drawn("text", { x, y, "text-anchor": anchor, ...more }, content);
  const points = pairs.map(([truth, predicted]) => drawn("circle", { cx: left + at(truth), cy: 10 + size - at(predicted), r: 2.5 }));
  const picture = drawn("svg", { class: "scatter", viewBox: `0 0 ${left + size + 10} ${size + below + 10}`, role: "img",
    "aria-label": `True and predicted numbers of ${counted(pairs.length, "row")}` },
  drawn("rect", { x: left, y: 10, width: size, height: size }),
  drawn("line", { x1: left, y1: 10 + size, x2: left + size, y2: 10 }), ...points,
  text(left, size + 26, "start", digits(low)), text(left + size, size + 26, "end", digits(high)),
  text(left + size / 2, size + 44, "middle", "true"), text(left - 6, 10 + size, "end", digits(low)),
  text(left - 6, 20, "end", digits(high)), text(16, 10 + size / 2, "middle", "predicted", { transform: `rotate(-90 16 ${10 + size / 2})` }));
  return element("figure", {}, picture, element("figcaption", {}, "Points on the line are predicted exactly" +
    (pairs.length < counts.n_rows ? `; ${counted(pairs.length, "row")} of ${counts.n_rows.toLocaleString("en")}.` : ".")));
}

function showCounts(body) {
  const labelled = counts && counts.labelled;
  const right = classes.map((_, place) => sum((counts ? counts.pairs : []).filter(([a, b]) => a === place && b === place).map((pair) => pair[2])));
  const rows = classes.map((text, place) => {
    const own = votes.filter((_, rule) => rules.class[rule] === place);
    const cells = [nameOf(text, 60)];
    if (!isOneSided) cells.push(own.filter((vote) => vote > 0n).length, own.filter((vote) => vote < 0n).length);
    if (counts) cells.push(counts.predicted[place].toLocaleString("en"));
    if (labelled) cells.push(labelled[place].toLocaleString("en"), labelled[place] ? percent(right[place] / labelled[place], 2) : "–");
    return cells;
  });
  const titles = ["Class", ...(isOneSided ? [] : ["Rules for", "Rules against"]), "Predicted rows", "Labelled rows", "Predicted correctly"];
  if (labelled) {
    body.append(
      element("p", { class: "big" }, `${percent(sum(right) / sum(labelled), 2)} of ${counted(sum(labelled), "row")} predicted correctly`),
      element("p", {}, `The most frequent class alone would give ${percent(Math.max(...labelled) / sum(labelled), 2)}. Rows that the model was trained on count too, if the data hold some.`));
  }
  if (rows[0].length > 1) body.append(table(titles.slice(0, rows[0].length), rows));
  if (labelled) body.append(element("h3", {}, "Confusion"), confusion(counts.pairs));
}

/** Shows the confusion matrix or, if there are many classes, its largest entries off the diagonal. */
function confusion(pairs) {
  if (classes.length > 20) {
    const wrong = pairs.filter(([a, b]) => a !== b).sort((one, other) => other[2] - one[2]).slice(0, 20);
    return table(["Label", "Predicted", "Rows"], wrong.map(([a, b, n]) => [nameOf(classes[a]), nameOf(classes[b]), n.toLocaleString("en")]));
  }
  const cell = (a, b) => {
    const n = (pairs.find((pair) => pair[0] === a && pair[1] === b) || [a, b, 0])[2];
    const kind = a === b ? "right" : n ? "wrong" : "none";
    return element("td", { class: kind }, n.toLocaleString("en") + (kind === "wrong" ? " ✗" : ""));
  };
  const titles = ["Label ↓ prediction →", ...classes.map((text) => shorten(text, 24))];
  return table(titles, classes.map((text, a) => [nameOf(text, 24), ...classes.map((_, b) => cell(a, b))]));
}

// ---- The table of rules ----

const FIRST_RULES = 15;
const texts = rules.conditions.map((ofRule) => ofRule.map((id) => conditions[id].text).join(" AND ")).map(folded);
const numeric = (key, title, values, text, most) => (
  { key, title, values, cell: (rule) => withBar(text(values[rule]), values[rule] / most) });
const mostTimes = (rule) => (isFuzzy ? rules.of[rule] - needed[rule] + 1 : 1);
const sizes = weights.map((weight, rule) => Math.abs(weight) * mostTimes(rule));
const SIZE = numbers ? (isFuzzy ? "At most" : "How much") : isFuzzy ? "Most votes" : "Weight";
const RULE_COLUMNS = [
  { key: "side", title: numbers ? "Effect" : "Votes", values: votes.map((vote, rule) => 2 * rules.class[rule] + (vote < 0n)), cell: side, ascending: true },
  numeric("weight", SIZE, sizes, digits, largest(sizes)),
  ...("support" in rules ? [numeric("support", "Support", rules.support, percent, 1)] : []),
  ...("precision" in rules ? [numeric("precision", "Precision", rules.precision, percent, 1)] : []),
  ...("separation" in rules ? [numeric("separation", "Separation", rules.separation, digits, largest(rules.separation))] : []),
  ...("decides" in rules ? [numeric("decides", "Decides", rules.decides, percent, 1)] : []),
  { key: "conditions", title: "Conditions", values: rules.conditions.map((ofRule) => ofRule.length), cell: ruleText, ascending: true },
];
const FIRST_ORDER = `Rules ${"separation" in rules ? "that separate the classes most" : !numbers && !isFuzzy ? "of the largest weight"
  : `that ${numbers ? "add or subtract" : "vote"} most${"support" in rules ? " on all rows together" : ""}`} come first.`;
const view = { column: null, ascending: false, shown: FIRST_RULES };

function chosenRules() {
  const typed = folded(byId("rules-search").value);
  const wanted = byId("rules-class").selectedIndex - 1;
  const chosen = [...votes.keys()].filter((rule) =>
    texts[rule].includes(typed) && (wanted < 0 || rules.class[rule] === wanted));
  if (!view.column) return chosen;
  const value = (rule) => view.column.values[rule] ?? -1; // the precision of a rule that never holds
  const sign = view.ascending ? 1 : -1;
  return chosen.sort((one, other) => sign * (value(one) - value(other)) || one - other);
}

function showRules() {
  const chosen = chosenRules();
  const head = RULE_COLUMNS.map((column) => {
    const order = view.column !== column ? "none" : view.ascending ? "ascending" : "descending";
    const title = column.title + { none: "", ascending: " ↑", descending: " ↓" }[order];
    return element("th", { scope: "col", "aria-sort": order, "data-key": column.key }, button(title, () => sortBy(column)));
  });
  const rows = chosen.slice(0, view.shown).map((rule) => element("tr", {}, ...RULE_COLUMNS.map((column) =>
    element("td", { "data-title": column.title, class: column.key }, column.cell(rule)))));
  byId("rules-table").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  const all = counted(votes.length, "rule");
  byId("rules-found").textContent = chosen.length === votes.length ? all : `${chosen.length.toLocaleString("en")} of ${all}`;
  byId("rules-order").textContent = view.column ? "" : FIRST_ORDER;
  offerMore("rules-more", chosen.length - view.shown, "more rule");
}

function sortBy(column) {
  view.ascending = view.column === column ? !view.ascending : Boolean(column.ascending);
  view.column = column;
  showRules();
  document.querySelector(`[data-key="${column.key}"] button`).focus();
}

function prepareRules() {
  const voting = isFuzzy
    ? `Each rule counts how many of its conditions hold, and from the number that it needs on ${numbers ? "adds or subtracts" : "votes"} more with each further one. `
    : numbers ? "The rules whose conditions all hold for a row add to its number or subtract from it. " : "";
  const ending = numbers ? "A prediction begins at the middle of its range, and is clipped to it." : "The class with the largest sum of votes is predicted.";
  if (voting) byId("rules-vote").textContent = voting + ending;
  if (numbers) byId("rules-class-name").textContent = "Number";
  if (numbers || isFuzzy) byId("rules-terms").textContent = "support" in rules ? `Support is the share of rows on which a rule ${numbers ? "acts" : "votes"}.` : "";
  if ("separation" in rules) {
    byId("rules-terms").textContent = "Support is the share of rows for which a rule holds; " +
      ("precision" in rules ? "precision is the share of these whose label agrees; " : "") +
      "separation is large if a heavy rule holds for one class only; a rule decides the rows that would be predicted otherwise without it.";
  }
  if (isOneSided) byId("rules-vote").append(" All votes are for or against ", nameOf(classes[1], 40), ", which is predicted if their sum is above 0.");
  byId("rules-class").parentElement.hidden = isOneSided || classes.length === 1;
  byId("rules-class").append(...["all", ...classes].map((text) => element("option", {}, shorten(text, 60))));
  const again = () => { view.shown = FIRST_RULES; showRules(); };
  byId("rules-search").addEventListener("input", again);
  byId("rules-class").addEventListener("change", again);
  byId("rules-more").addEventListener("click", () => { view.shown += STEP; showRules(); });
  showRules();
}

// ---- Importance of the columns ----

const importance = (place) => columns[place].importance;
const byImportance = [...columns.keys()].sort((one, other) => importance(other) - importance(one) || one - other);

function showColumns(shown = 20) {
  const most = largest(columns.map((column) => column.importance));
  byId("columns-list").replaceChildren(...byImportance.slice(0, shown).map((place) => element("li", {},
    nameOf(columns[place].name, 60), element("span", { class: "number" }, percent(importance(place))),
    bar(importance(place) / most))));
  offerMore("columns-more", columns.length - shown, "more column");
  byId("columns-more").onclick = () => showColumns(shown + STEP);
}

// ---- Images ----

const BLUE = [11, 107, 184];
const ORANGE = [217, 111, 0];
const GREY = [90, 100, 110];

/** Draws values by pixel: their size is the opacity of a colour. */
function draw(canvas, values, colourOf) {
  [canvas.height, canvas.width] = image;
  const pixels = new ImageData(canvas.width, canvas.height);
  const most = largest(values);
  values.forEach((value, place) => pixels.data.set([...colourOf(place), (255 * Math.abs(value)) / most], 4 * place));
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

const noPixels = () => new Array(image[0] * image[1]).fill(0);

function showImages() {
  const images = new Map(votedOn.map((place) => [place, noPixels()]));
  rules.conditions.forEach((ofRule, rule) => ofRule.forEach((id) => {
    const { low, high, column } = conditions[id];
    images.get(rules.class[rule])[columns[column].position] += weights[rule] * ((low != null) - (high != null));
  }));
  if (numbers) {
    byId("images-text").textContent = "For each pixel, what the rules add that need it on (blue), minus what those add that need it off (orange). " +
      "What rules subtract counts with a minus sign.";
  }
  byId("images-body").append(...[...images].map(([place, values]) => {
    const canvas = element("canvas", { class: "image", role: "img", "aria-label": `Votes of the pixels on ${label(place)}` });
    draw(canvas, values, (pixel) => (values[pixel] > 0 ? BLUE : ORANGE));
    return element("figure", {}, canvas, element("figcaption", {}, nameOf(classes[place], 40)));
  }));
}

function drawRow() {
  const values = noPixels();
  columns.forEach((column, place) => { values[column.position] = state.row[place] || 0; });
  const changed = new Set(changedColumns().map((place) => columns[place].position));
  changed.forEach((pixel) => { values[pixel] ||= 0.4 * largest(values); }); // so that pixels turned off are seen
  draw(byId("row-image"), values, (pixel) => (changed.has(pixel) ? ORANGE : GREY));
}

function flipPixel(event) {
  const [height, width] = image;
  const box = event.target.getBoundingClientRect();
  const down = Math.floor(((event.clientY - box.top) / box.height) * height);
  const across = Math.floor(((event.clientX - box.left) / box.width) * width);
  const place = columns.findIndex((column) => column.position === down * width + across);
  if (place >= 0) change({ [place]: state.row[place] ? 0 : largest(state.original) }); // else no rule looks at it
}

// ---- Rows, and what changes their class ----

const state = { original: [], row: [], before: null, rival: null, shownColumns: 40 };

function prepareRows() {
  if (numbers) byId("rows-intro").textContent = "Change a value to see what happens to the prediction.";
  if (!columns.length) byId("rows-intro").textContent = `No rule has a condition, so no value changes the ${numbers ? "prediction" : "decision"}.`;
  if (!data.rows.length) {
    data.rows.push({ name: "made up", label: null, values: columns.map((column) => column.start) });
    byId("rows-intro").textContent += " The report was made without rows, so this one is made up.";
  }
  if (image) byId("rows-intro").textContent += " A click turns a pixel on or off.";
  byId("row-choice").append(...data.rows.map((row) => {
    const { predicted, sums } = evaluate(row.values);
    if (numbers) return element("option", {}, `${shorten(row.name, 40)}: ${sums.map(digits).join(", ")}`);
    const wrong = row.label === null || row.label === predicted ? "" : ` ✗, label ${label(row.label)}`;
    return element("option", {}, `${shorten(row.name, 40)}: ${label(predicted)}${wrong}`);
  }));
  const choice = byId("row-choice");
  const step = (by) => () => { choice.selectedIndex = (choice.selectedIndex + by + data.rows.length) % data.rows.length; showRow(); };
  choice.addEventListener("change", showRow);
  byId("row-previous").addEventListener("click", step(-1));
  byId("row-next").addEventListener("click", step(1));
  byId("row-previous").hidden = byId("row-next").hidden = data.rows.length === 1;
  byId("row-reset").addEventListener("click", showRow);
  byId("row-form").addEventListener("submit", (event) => event.preventDefault());
  byId("values-search-label").hidden = columns.length < 10;
  byId("values-search").addEventListener("input", showValues);
  byId("values-more").addEventListener("click", () => { state.shownColumns += STEP; showValues(); });
  byId("row-image").addEventListener("click", flipPixel);
  byId("row-image").hidden = !image;
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

const changedColumns = () => [...columns.keys()].filter((place) => state.row[place] !== state.original[place]);

/** Sets values by column. What is typed stays as it is typed; other inputs are made again. */
function change(values, isTyped = false) {
  Object.assign(state.row, values);
  if (!isTyped) showValues();
  showDecision();
}

function showValues() {
  const typed = folded(byId("values-search").value);
  const found = byImportance.filter((place) => folded(columns[place].name).includes(typed));
  byId("values").replaceChildren(...found.slice(0, state.shownColumns).map((place) =>
    element("label", { "data-column": place }, nameOf(columns[place].name, 60), control(place))));
  offerMore("values-more", found.length - state.shownColumns, "more column");
}

/** Makes the input for a column: numbers are typed, and everything else is chosen. */
function control(place) {
  const column = columns[place];
  const value = state.row[place];
  if (column.values === null) {
    const input = element("input", { type: "number", step: "any", placeholder: "missing", value: value === null ? "" : String(value) });
    input.addEventListener("input", () => {
      if (!input.validity.badInput) change({ [place]: input.value === "" ? null : Number(input.value) }, true);
    });
    return input;
  }
  const own = state.original[place];
  const isNew = own !== null && !column.values.some(([known]) => known === own);
  const choices = [...column.values, ...(isNew ? [[own, String(own)]] : []),
    ...(column.is_binary ? [] : [[OTHER, "another value"]]), [null, "missing"]];
  const select = element("select", { onchange: () => change({ [place]: choices[select.selectedIndex][0] }, true) },
    ...choices.map(([, text]) => element("option", {}, shorten(text, 60))));
  select.selectedIndex = choices.findIndex(([known]) => known === value);
  return select;
}

function showDecision() {
  const now = evaluate(state.row);
  const changed = changedColumns();
  for (const field of byId("values").children) field.classList.toggle("changed", changed.includes(Number(field.dataset.column)));
  byId("row-reset").disabled = !changed.length;
  if (image) drawRow();
  const row = data.rows[byId("row-choice").selectedIndex];
  if (numbers) {
    byId("decision").replaceChildren(...classes.flatMap((_, place) => predictedNumber(place, now, changed.length > 0, row.label)));
    showAdded(now);
    return;
  }
  const before = state.before.predicted;
  const isTurned = now.predicted !== before;
  const parts = [element("p", { class: isTurned ? "big turned" : "big" }, isTurned ? "Now predicted: " : "Predicted: ",
    element("strong", {}, nameOf(classes[now.predicted], 60)))];
  if (changed.length) parts.push(element("p", {}, isTurned ? `Before your changes: ${label(before)}.` : "Your changes leave the decision as it was."));
  if (row.label !== null) parts.push(element("p", {}, `Label of the row: ${label(row.label)}${row.label === before ? "." : ", so the model was wrong."}`));
  parts.push(sumsTable(now, changed.length > 0));
  if (row.nearest && !changed.length) parts.push(nearestChange(row.nearest));
  byId("decision").replaceChildren(...parts);
  showReasons(now);
}

/** Shows what is predicted for an output, what it was before, and the true number. */
function predictedNumber(place, now, isChanged, truth) {
  const [value, was] = [now.sums[place], state.before.sums[place]];
  const name = classes.length > 1 ? [nameOf(classes[place], 40), ": "] : [];
  const parts = [element("p", { class: value !== was ? "big turned" : "big" }, ...name, value !== was ? "Now predicted: " : "Predicted: ",
    element("strong", {}, digits(value)))];
  if (isChanged) parts.push(element("p", {}, value === was ? "Your changes leave the prediction as it was." : `Before your changes: ${digits(was)}, so ${signed(value - was)}.`));
  if (truth !== null) parts.push(element("p", {}, `True number of the row: ${digits(truth[place])}; the model is ${aside(was - truth[place])}.`));
  return parts;
}

const aside = (error) => (error ? `${digits(Math.abs(error))} too ${error > 0 ? "high" : "low"}` : "exact");

/** Lists the rules that add to a number, and those that subtract from it. */
function showAdded(now) {
  const output = state.rival ?? 0;
  const of = (chosen) => chosen.filter((rule) => rules.class[rule] === output);
  const effects = weights.map((weight, rule) => weight * now.times[rule]);
  const before = weights.map((weight, rule) => weight * state.before.times[rule]);
  const most = largest([...of(now.held).map((rule) => effects[rule]), ...of(state.before.held).map((rule) => before[rule])]);
  const total = sum(of(now.held).map((rule) => effects[rule]));
  const [start, value] = [numbers.middle[output], now.sums[output]];
  const isClipped = Math.abs(start + total - value) > 1e-9 * (Math.abs(start) + Math.abs(value) + numbers.half[output]);
  const select = element("select", { "aria-label": "Number to explain", onchange: () => { state.rival = select.selectedIndex; showAdded(now); } },
    ...classes.map((text) => element("option", {}, shorten(text, 40))));
  select.selectedIndex = output;
  byId("reasons").replaceChildren(
    element("h3", {}, `Why ${digits(value)}?`, ...(classes.length > 1 ? [" ", select] : [])),
    element("p", {}, `The middle of the range is ${digits(start)}, and ${counted(of(now.held).length, "rule adds", "rules together add")} ${signed(total)}` +
      `${isClipped ? `, which is clipped to the end of the range, ${digits(value)}` : ""}.`),
    ...reasonList("Add", of(now.held).filter((rule) => effects[rule] > 0), effects, most, now),
    ...reasonList("Subtract", of(now.held).filter((rule) => effects[rule] < 0), effects, most, now),
    ...reasonList("No longer act after your changes", of(state.before.held).filter((rule) => !now.times[rule]), before, most, now));
}

function sumsTable(now, isChanged) {
  const most = largest(now.sums);
  const bySum = [...votedOn].sort((one, other) => now.sums[other] - now.sums[one]);
  const shown = classes.length > 10 ? bySum.slice(0, 10) : votedOn;
  const rows = shown.map((place) => {
    const was = state.before.sums[place];
    const text = signed(now.sums[place]) + (isChanged && was !== now.sums[place] ? ` (was ${signed(was)})` : "");
    const kind = now.sums[place] < 0 ? "against" : "for";
    const heading = element(place === now.predicted ? "mark" : "span", {}, nameOf(classes[place], 40));
    return [heading, text, bar(Math.abs(now.sums[place]) / most, kind)];
  });
  const sums = table(["Class", "Sum of votes", ""], rows, "sums");
  if (classes.length > 10) sums.append(`and ${counted(classes.length - 10, "class", "classes")} with smaller sums`);
  return sums;
}

function nearestChange(nearest) {
  const text = element("p", {}, "Nearest change: ", nameOf(nearest.text, 300), " ");
  const make = () => change(Object.fromEntries(nearest.changes.map((id) => [conditions[id].column, valueFor(conditions[id])])));
  if (nearest.changes.length) text.append(button("Make this change", make));
  return text;
}

/** Returns a value for which a condition holds. */
function valueFor(condition) {
  const column = columns[condition.column];
  if ("is_missing" in condition) return condition.is_missing ? null : column.start;
  if ("values" in condition) {
    if (condition.equal) return condition.values[0];
    const others = column.values.filter(([value]) => !condition.values.includes(value));
    return others.length ? others[0][0] : OTHER;
  }
  if (column.is_binary) return condition.low === null ? 0 : 1;
  return condition.high ?? condition.low + Math.max(1, Math.abs(condition.low));
}

/** Lists the rules that speak for the predicted class rather than another one, and those that speak against it. */
function showReasons(now) {
  const others = [...classes.keys()].filter((place) => place !== now.predicted);
  const strongest = others.reduce((best, place) => (now.totals[place] > now.totals[best] ? place : best));
  const rival = state.rival === null || state.rival === now.predicted ? strongest : state.rival;
  const effect = (rule, times) => times[rule] * ({ [now.predicted]: weights[rule], [rival]: -weights[rule] }[rules.class[rule]] || 0);
  const effects = weights.map((_, rule) => effect(rule, now.times[rule] ? now.times : state.before.times));
  const most = largest([...now.held, ...state.before.held].map((rule) => effects[rule])); // of all lists, to compare them
  const list = (title, chosen) => reasonList(title, chosen.filter((rule) => effects[rule]), effects, most, now);
  const select = element("select", { "aria-label": "Class to compare with", onchange: () => { state.rival = others[select.selectedIndex]; showReasons(now); } },
    ...others.map((place) => element("option", {}, label(place))));
  select.selectedIndex = others.indexOf(rival);
  const lead = Number(now.totals[now.predicted] - now.totals[rival]) * unit;
  byId("reasons").replaceChildren(
    element("h3", {}, "Why ", nameOf(classes[now.predicted], 40), " and not ", others.length > 1 ? select : nameOf(classes[rival], 40), "?"),
    element("p", {}, leadText(now.predicted, rival, lead)),
    ...list("Speak for it", now.held.filter((rule) => effects[rule] > 0)),
    ...list("Speak against it", now.held.filter((rule) => effects[rule] < 0)),
    ...list("No longer hold after your changes", state.before.held.filter((rule) => !now.held.includes(rule))));
}

function leadText(predicted, rival, lead) {
  if (!lead) {
    return isOneSided ? `The sum of votes is 0, and ${label(1)} is predicted only if it is above 0.`
      : "The sums are equal, and of classes with equal sums the first is predicted.";
  }
  return isOneSided
    ? `The sum of votes is ${digits(Math.abs(lead))} ${predicted ? "above" : "below"} 0. ` +
      `Rules ${predicted ? "for" : "against"} ${label(1)} add to this lead.`
    : `The sum is ahead by ${digits(lead)}. A rule for ${label(predicted)} adds its ${isFuzzy ? "votes" : "weight"} to the lead, ` +
      `and so does a rule against ${label(rival)}.`;
}

function reasonList(title, chosen, effects, most, now) {
  if (!chosen.length) return [];
  const sorted = chosen.sort((one, other) => Math.abs(effects[other]) - Math.abs(effects[one]));
  const item = (rule) => {
    const isNew = !state.before.held.includes(rule);
    return element("li", {}, element("span", { class: "number" }, signed(effects[rule])),
      bar(Math.abs(effects[rule]) / most, effects[rule] > 0 ? "for" : "against"),
      element("span", {}, ruleText(rule, isFuzzy ? now : null), ...(numbers ? [] : [" → ", side(rule)]), isNew ? " (new)" : ""));
  };
  const items = element("ol", { class: "reasons" }, ...sorted.slice(0, 8).map(item));
  const total = signed(sum(sorted.map((rule) => effects[rule])));
  const parts = [element("h4", {}, `${title}: ${counted(sorted.length, "rule")}, together ${total}`), items];
  if (sorted.length > 8) {
    const more = button(`Show ${sorted.length - 8} more`, () => { items.append(...sorted.slice(8).map(item)); more.remove(); });
    parts.push(more);
  }
  return parts;
}

showOverview();
prepareRules();
showColumns();
if (!columns.length) hidePart("columns");
if (image) showImages();
else hidePart("images");
prepareRows();
