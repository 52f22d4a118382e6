"""Rules of a trained model: as text, as tables, and as features."""

from wtm.rules.addend_explanation import AddendExplanation
from wtm.rules.addends import Addend, AddendTable
from wtm.rules.card_explanation import CardExplanation
from wtm.rules.explanation import Explanation
from wtm.rules.image_explanation import FoundPattern, ImageExplanation
from wtm.rules.listing import heaviest_rules, rules_of
from wtm.rules.nearest_change import NearestChange
from wtm.rules.patterns import Pattern
from wtm.rules.rule import Rule, parse_rule
from wtm.rules.rule_table import RuleTable
from wtm.rules.score_cards import ScoreCard, ScoreCards
from wtm.tables.condition_grammar import parse_condition

__all__ = [
    "Addend",
    "AddendExplanation",
    "AddendTable",
    "CardExplanation",
    "Explanation",
    "FoundPattern",
    "ImageExplanation",
    "NearestChange",
    "Pattern",
    "Rule",
    "RuleTable",
    "ScoreCard",
    "ScoreCards",
    "heaviest_rules",
    "parse_condition",
    "parse_rule",
    "rules_of",
]
