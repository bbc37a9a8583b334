import { type ExplainedField, explainField } from './explain-field.ts';
import { explainList, explainValue, isLiteral, isValueLike } from './explain-value.ts';
import type { FieldCheck } from './known-fields.ts';
import type { Token } from './language.ts';
import { nearestConnective, nearestOperator, operatorList } from './operator-advice.ts';
import type { Report } from './problem.ts';
import { unquote } from './quoting.ts';
import { TokenReader } from './token-reader.ts';

/** Reads some tokens and returns the step to expect next. */
type Step = () => Step | undefined;

/** Tokens that join conditions or end them. */
const joints: ReadonlySet<string> = new Set(['and', 'or', 'Pipe', 'CloseParen']);

/**
 * Reports the problems of a text that the grammar refused. It expects in turn a condition, its operator, its value and
 * what joins it to the next; after a mistake it continues where a human reader would. It decides nothing about
 * validity; a test checks that it reports something exactly where the grammar refuses.
 */
export function explain(
  tokens: readonly Token[],
  text: string,
  checkField: FieldCheck,
  report: Report,
): void {
  const reader = new TokenReader(text, tokens);
  const open: Token[] = [];
  let field: ExplainedField = { ...reader.end, isSound: true };
  let operator = '==';

  let step: Step | undefined = reader.isAtEnd ? undefined : expectCondition;
  while (step !== undefined) step = step();
  for (const parenthesis of open) report(parenthesis, 'the closing parenthesis is missing');

  function expectCondition(): Step | undefined {
    const token = reader.peek();
    switch (token?.name) {
      case undefined:
        report(reader.end, 'a condition is missing here, such as data.log_level == "error"');
        return undefined;
      case 'Identifier':
        if (reader.peekSecond()?.name === 'OpenParen') return skipCall();
        field = explainField(reader, checkField, report);
        return expectOperator;
      case 'QuotedName':
        field = explainField(reader, checkField, report);
        return expectOperator;
      case 'Unknown':
        if (!/\p{L}|@/u.test(token!.text)) return notUnderstood(token!, expectCondition);
        field = explainField(reader, checkField, report);
        return expectOperator;
      case 'OpenParen':
        open.push(reader.take()!);
        return expectCondition;
      case 'CloseParen':
        report(token!, 'a condition is missing before the parenthesis');
        return expectJoint;
      case 'not':
        report(reader.take()!, 'not is allowed only before like and in; invert the operators instead');
        return expectCondition;
      case 'and':
      case 'or':
      case 'Pipe':
        report(reader.take()!, `a condition is missing before ${token!.text}`);
        return expectCondition;
      default:
        return isValueLike(token) ? valueForField(token!) : notUnderstood(token!, expectCondition);
    }
  }

  /** Handles a value where a field should be. If an operator follows, the user took the value for a field. */
  function valueForField(token: Token): Step | undefined {
    const name = token.name === 'String' ? unquote(token.text).text : undefined;
    const isName = name !== undefined && /^\w+(?:\.\w+)*$/.test(name);
    report(reader.take()!, 'a condition begins with a field, not with a value', isName ? name : undefined);
    field = { from: token.from, to: token.to, isSound: false };
    return reader.isAtEnd || joints.has(reader.peek()!.name) ? expectJoint : expectOperator;
  }

  function expectOperator(): Step | undefined {
    const token = reader.peek();
    if (token === undefined || joints.has(token.name) || isConnective(token)) {
      const name = reader.textOf(field);
      if (field.isSound)
        report(field, `${name} needs an operator and a value, such as ${name} == true`, `${name} == true`);
      return expectJoint;
    }
    if (isLiteral(token) || token.name === 'OpenBracket' || token.name === 'UnclosedString') {
      operator = token.name === 'OpenBracket' ? 'in' : '==';
      report({ from: token.from, to: token.from }, 'an operator is missing', `${operator} `);
      return expectValue;
    }
    switch (token.name) {
      case 'CompareOperator':
      case 'like':
      case 'in':
        operator = reader.take()!.text;
        return expectValue;
      case 'not':
        return expectNegated(reader.take()!);
      case 'Identifier':
      case 'ForeignOperator':
        return expectValueAfterMistaken(reader.take()!);
      default:
        return notUnderstood(token, expectOperator);
    }
  }

  function isConnective({ name, text }: Token): boolean {
    return (name === 'Identifier' || name === 'ForeignOperator') && /^(?:and|or|&&?|\|\|)$/i.test(text);
  }

  function expectNegated(not: Token): Step {
    const next = reader.takeIf('like', 'in', 'CompareOperator');
    operator = next?.text ?? '==';
    if (next === undefined) report(not, 'not is allowed only before like and in; use !=', '!=');
    else if (next.name === 'CompareOperator')
      report({ from: not.from, to: next.to }, 'not is allowed only before like and in; invert the operator');
    return expectValue;
  }

  function expectValueAfterMistaken(token: Token): Step {
    let to = token.to;
    let meant = nearestOperator(token.text);
    const next = reader.peek();
    const nextWord = next?.text.toLowerCase();
    if (meant === 'not' && (nextWord === 'like' || nextWord === 'in')) {
      to = reader.take()!.to;
      meant = `not ${nextWord}`;
    } else if (meant === 'not') meant = '!=';
    if (token.text.toLowerCase() === 'is' && nextWord === 'not') {
      to = reader.take()!.to;
      meant = '!=';
    }
    const place = { from: token.from, to };
    report(place, `unknown operator ${reader.textOf(place)}; use one of ${operatorList}`, meant);
    operator = meant?.replace('not ', '') ?? '';
    return expectValue;
  }

  /** Skips calls such as `contains(data.message, "x")`. */
  function skipCall(): Step {
    const { from } = reader.take()!;
    const { to } = reader.take()!;
    report({ from, to }, `functions are not supported; use one of ${operatorList}`);
    let depth = 1;
    while (depth > 0 && !reader.isAtEnd) {
      const { name } = reader.take()!;
      if (name === 'OpenParen') depth++;
      if (name === 'CloseParen') depth--;
    }
    return expectJoint;
  }

  function expectValue(): Step | undefined {
    const token = reader.peek();
    if (token === undefined || joints.has(token.name)) {
      report(reader.end, `a value is missing after ${operator}`);
      return expectJoint;
    }
    if (isValueLike(token)) {
      const meant = explainValue(reader, report);
      const place = { from: token.from, to: reader.end.to };
      if (operator === 'in') report(place, 'in takes a list in square brackets', `[${meant}]`);
      return expectJoint;
    }
    const isList = token.name === 'OpenBracket' || (token.name === 'OpenParen' && operator === 'in');
    if (!isList) {
      report(reader.take()!, `a value is expected after ${operator}, not ${token.text}`);
      return reader.isAtEnd ? undefined : expectValue;
    }
    const { place, meant } = explainList(reader, reader.take()!, report);
    if (token.name === 'OpenParen') report(place, 'put a list in square brackets', meant);
    else if (operator !== 'in' && operator !== '')
      report(place, `${operator} takes one value; in takes a list`);
    return expectJoint;
  }

  function expectJoint(): Step | undefined {
    const token = reader.peek();
    switch (token?.name) {
      case undefined:
        return undefined;
      case 'and':
      case 'or':
        reader.take();
        return expectCondition;
      case 'Pipe':
        if (open.length > 0)
          report(token!, '| joins whole filters and is not allowed in parentheses; use and', 'and');
        reader.take();
        return expectCondition;
      case 'CloseParen':
        if (open.pop() === undefined) report(token!, 'the opening parenthesis is missing', '');
        reader.take();
        return expectJoint;
      default:
        return afterMistakenJoint(token!);
    }
  }

  function afterMistakenJoint(token: Token): Step | undefined {
    if (isJointLike.has(token.name) && beginsCondition.has(reader.peekSecond()?.name ?? '')) {
      const meant = nearestConnective(token.text);
      if (meant !== undefined) {
        // A word, unlike a symbol, must be separated from its neighbours.
        const isGlued = reader.peekSecond()!.from === token.to;
        const message = `conditions are joined by and, or and |, not by ${token.text}`;
        report(reader.take()!, message, isGlued ? ` ${meant} ` : meant);
        return expectCondition;
      }
    }
    if (beginsCondition.has(token.name)) {
      report({ from: token.from, to: token.from }, 'and or or is missing between two conditions', 'and ');
      return expectCondition;
    }
    if (operators.has(token.name)) {
      report(reader.take()!, 'a condition has one operator; join two conditions by and');
      if (isLiteral(reader.peek())) reader.take();
      return expectJoint;
    }
    return notUnderstood(token, expectJoint);
  }

  function notUnderstood(token: Token, next: Step): Step | undefined {
    report(reader.take()!, `unexpected ${token.text}`);
    return reader.isAtEnd ? undefined : next;
  }
}

const beginsCondition: ReadonlySet<string> = new Set(['Identifier', 'QuotedName', 'OpenParen']);
const isJointLike: ReadonlySet<string> = new Set(['Identifier', 'ForeignOperator', 'Comma']);
const operators: ReadonlySet<string> = new Set(['CompareOperator', 'ForeignOperator', 'like', 'in', 'not']);
