"use strict";
// The model: the same class sums as in wtm, exactly.

const data = JSON.parse(document.getElementById("data").textContent);
const { classes, columns, conditions, rules, unit, counts, image, is_one_sided: isOneSided } = data;
const votes = rules.vote.map(BigInt);
const weights = votes.map((vote) => Number(vote) * unit); // negative against a class
const votedOn = [...classes.keys()].slice(isOneSided ? 1 : 0); // of two classes, all rules vote on the second
const OTHER = {}; // a category that no rule names

function holds(condition, value) {
  const isMissing = value === null;
  if ("is_missing" in condition) return isMissing === condition.is_missing;
  if ("values" in condition) {
    if (isMissing) return !condition.equal && condition.missing !== false;
    return condition.values.includes(value) === condition.equal;
  }
  const { low, high } = condition;
  if (isMissing) return low === null && condition.missing !== false;
  return (low === null || value > low) && (high === null || value <= high);
}

/** Returns the sums of votes, the rules that hold and the predicted class. Votes are added as integers. */
function evaluate(row) {
  const truth = conditions.map((condition) => holds(condition, row[condition.column]));
  const totals = classes.map(() => 0n);
  const held = [];
  rules.conditions.forEach((ofRule, rule) => {
    if (!ofRule.every((condition) => truth[condition])) return;
    totals[rules.class[rule]] += votes[rule];
    held.push(rule);
  });
  const predicted = totals.reduce((best, total, place) => (total > totals[best] ? place : best), 0);
  return { totals, sums: totals.map((total) => Number(total) * unit), held, predicted };
}

/** Returns what `WTMClassifier.class_sums` returns for the row or, of two classes, `decision_function`. */
const classSums = (row) => votedOn.map((place) => evaluate(row).sums[place]);
