"use strict";
// The model: the same class sums as in wtm, exactly.

const data = JSON.parse(document.getElementById("data").textContent);
const { classes, columns, conditions, rules, unit, counts, image, numbers, is_one_sided: isOneSided } = data;
const votes = rules.vote.map(BigInt);
const isFuzzy = "points" in rules; // rules that count how many of their conditions hold
const needed = isFuzzy ? rules.needed : rules.conditions.map((ofRule) => ofRule.length);
// What a rule adds once its conditions hold: to a sum, negative against a class, or to a number.
const weights = votes.map((vote, rule) => Number(vote) * (numbers ? numbers.share * numbers.half[rules.class[rule]] : unit));
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

/** Returns how many of the conditions of a rule hold. */
function filled(rule, truth) {
  return rules.conditions[rule].reduce((n, id, place) => n + (truth[id] ? (isFuzzy ? rules.points[rule][place] : 1) : 0), 0);
}

/**
 * Returns the sums of votes, of a regressor the predicted numbers instead, the rules that vote and how often each does,
 * and the predicted class. Votes are added as integers.
 */
function evaluate(row) {
  const truth = conditions.map((condition) => holds(condition, row[condition.column]));
  const totals = classes.map(() => 0n);
  const held = [];
  const times = votes.map((vote, rule) => {
    const n = Math.max(0, filled(rule, truth) - needed[rule] + 1);
    if (!n) return 0;
    totals[rules.class[rule]] += vote * BigInt(n);
    held.push(rule);
    return n;
  });
  const predicted = totals.reduce((best, total, place) => (total > totals[best] ? place : best), 0);
  const value = (total, place) => (numbers
    ? numbers.middle[place] + Math.min(1, Math.max(-1, Number(total) * numbers.share)) * numbers.half[place]
    : Number(total) * unit);
  return { totals, sums: totals.map(value), held, times, truth, predicted };
}

/** Returns what `class_sums` returns for the row or, if all rules vote on the second class, `decision_function`. */
const classSums = (row) => votedOn.map((place) => evaluate(row).sums[place]);
