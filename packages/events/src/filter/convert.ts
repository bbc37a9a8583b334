import type { SyntaxNode } from '@lezer/common';
import { coreLimits } from '@weir/core';
import { castAdvice, isCast } from './cast-advice.ts';
import type { FieldCheck } from './known-fields.ts';
import type { Place, Report } from './problem.ts';
import { unquote } from './quoting.ts';
import { brokenRule } from './rules.ts';
import type { Cast, ComparisonOperator, Condition, Expression, Field, Filter, Literal } from './tree.ts';

/** Converts the parser's tree of a syntactically valid text to our own tree, and checks its meaning on the way. */
export function convert(top: SyntaxNode, text: string, checkField: FieldCheck, report: Report): Filter {
  let conditionCount = 0;
  return { stages: childrenOf(top).filter(isExpression).map(expressionOf) };

  function expressionOf(node: SyntaxNode): Expression {
    switch (node.name) {
      case 'Or':
      case 'And': {
        const operands = childrenOf(node).filter(isExpression).map(expressionOf);
        return { kind: node.name === 'Or' ? 'or' : 'and', operands };
      }
      case 'Group':
        return expressionOf(childrenOf(node).find(isExpression)!);
      default:
        return conditionOf(node);
    }
  }

  function conditionOf(node: SyntaxNode): Condition {
    conditionCount++;
    if (conditionCount === coreLimits.filterConditionsMax + 1)
      report(node, `a filter may have ${coreLimits.filterConditionsMax} conditions at most`);
    const parts = childrenOf(node);
    const field = fieldOf(parts[0]!);
    const value = parts.at(-1)!;
    const operator = { from: parts[1]!.from, to: parts.at(-2)!.to };
    const condition = readCondition(node.name, field, parts);
    if (condition === undefined) {
      report(value, 'like takes a pattern in quotes', `"${textOf(value)}"`);
      return { kind: 'match', field, isNegated: false, pattern: '' };
    }
    const broken = brokenRule(condition);
    if (broken !== undefined) report(broken.about === 'value' ? value : operator, broken.message);
    return condition;
  }

  function readCondition(name: string, field: Field, parts: readonly SyntaxNode[]): Condition | undefined {
    const value = parts.at(-1)!;
    const isNegated = parts[1]!.name === 'not';
    switch (name) {
      case 'Comparison':
        return {
          kind: 'comparison',
          field,
          operator: textOf(parts[1]!) as ComparisonOperator,
          value: literalOf(value),
        };
      case 'Match': {
        const pattern = literalOf(value);
        if (typeof pattern !== 'string') return undefined;
        if (pattern.length > coreLimits.filterPatternCharsMax)
          report(value, `a pattern may have ${coreLimits.filterPatternCharsMax} characters at most`);
        return { kind: 'match', field, isNegated, pattern };
      }
      default: {
        const values = childrenOf(value).filter(({ name }) => !listMarks.has(name));
        if (values.length > coreLimits.filterListValuesMax)
          report(value, `a list may have ${coreLimits.filterListValuesMax} values at most`);
        return { kind: 'membership', field, isNegated, values: values.map(literalOf) };
      }
    }
  }

  function fieldOf(node: SyntaxNode): Field {
    const [pathNode, castNode] = childrenOf(node);
    const path = childrenOf(pathNode!)
      .filter(({ name }) => name !== 'Dot')
      .map((key) => (key.name === 'QuotedName' ? unquoted(key) : textOf(key)));
    if (path.length > coreLimits.filterPathKeysMax)
      report(pathNode!, `a field may lie ${coreLimits.filterPathKeysMax} keys deep at most`);
    else checkField(path, pathNode!, report);
    if (castNode === undefined) return { path };
    const cast = castOf(castNode);
    return cast === undefined ? { path } : { path, cast };
  }

  function castOf(node: SyntaxNode): Cast | undefined {
    const name = node.lastChild!;
    const cast = textOf(name);
    if (isCast(cast)) return cast;
    report(name, ...castAdvice(cast));
    return undefined;
  }

  function literalOf(node: SyntaxNode): Literal {
    switch (node.name) {
      case 'String':
        return unquoted(node);
      case 'Number':
        return numberOf(node);
      case 'null':
        return null;
      default:
        return node.name === 'true';
    }
  }

  function numberOf(node: SyntaxNode): number {
    const number = Number(textOf(node));
    if (!Number.isFinite(number)) report(node, 'the number is too large');
    // Never minus zero: it is the same number but prints differently.
    return number + 0;
  }

  function unquoted(node: SyntaxNode): string {
    const { text: inside, unknownEscapes } = unquote(textOf(node));
    for (const { from, to } of unknownEscapes) {
      const place = { from: node.from + from, to: node.from + to };
      const written = textOf(place);
      report(place, `unknown escape ${written}; write a backslash as \\\\`, `\\${written}`);
    }
    return inside;
  }

  function textOf({ from, to }: Place): string {
    return text.slice(from, to);
  }
}

const expressions: ReadonlySet<string> = new Set(['Or', 'And', 'Group', 'Comparison', 'Match', 'Membership']);
const listMarks: ReadonlySet<string> = new Set(['OpenBracket', 'Comma', 'CloseBracket']);

function isExpression({ name }: SyntaxNode): boolean {
  return expressions.has(name);
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}
