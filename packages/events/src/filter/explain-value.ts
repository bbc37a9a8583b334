import type { Token } from './language.ts';
import type { Place, Report } from './problem.ts';
import { quoteText, unquote } from './quoting.ts';
import type { TokenReader } from './token-reader.ts';

const literals: ReadonlySet<string> = new Set(['String', 'Number', 'true', 'false', 'null']);

const bareParts: ReadonlySet<string> = new Set(['Identifier', 'Number', 'Dot', 'Colons', 'Unknown']);

/** Whether a token can be part of a text that lacks its quotes: `User:alice`, `my-topic`, `10ms`. */
function isBarePart({ name, text }: Token): boolean {
  return bareParts.has(name) || text === ':';
}

const otherSpellings: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['none', 'null'],
  ['nil', 'null'],
  ['undefined', 'null'],
]);

export function isLiteral(token: Token | undefined): boolean {
  return token !== undefined && literals.has(token.name);
}

/** Whether a value can be read here, even a wrong one. */
export function isValueLike(token: Token | undefined): boolean {
  return isLiteral(token) || ['Identifier', 'QuotedName', 'UnclosedString'].includes(token?.name ?? '');
}

/** Reads one value and reports its problems. Returns the corrected form. */
export function explainValue(reader: TokenReader, report: Report): string {
  const token = reader.take()!;
  switch (token.name) {
    case 'UnclosedString': {
      const quote = token.text[0]!;
      report(token, 'unterminated string: the closing quote is missing', token.text + quote);
      return token.text + quote;
    }
    case 'QuotedName': {
      const meant = quoteText(unquote(token.text).text);
      report(token, 'backticks are for field names; put strings in quotes', meant);
      return meant;
    }
    case 'String':
      explainCast();
      return token.text;
    default:
      return explainBare(token);
  }

  function explainBare(token: Token): string {
    if (isLiteral(token) && reader.peek()?.name === 'Colons') {
      explainCast();
      return token.text;
    }
    const place = reader.takeGlued(token.from, isBarePart);
    const text = reader.textOf(place);
    if (isLiteral(token) && place.to === token.to) return text;
    const meant = otherSpellings.get(text.toLowerCase()) ?? quoteText(text);
    report(place, meant.startsWith('"') ? `texts stand in quotes` : `it is written ${meant}`, meant);
    return meant;
  }

  function explainCast(): void {
    const colons = reader.takeIf('Colons');
    if (colons === undefined) return;
    reader.takeIf('Identifier');
    const place = { from: colons.from, to: reader.end.to };
    report(place, 'a cast follows a field, not a value', '');
  }
}

/** Reads the list after its opening bracket. Returns its position and its corrected form. */
export function explainList(
  reader: TokenReader,
  opening: Token,
  report: Report,
): { readonly place: Place; readonly meant: string } {
  const closing = opening.name === 'OpenBracket' ? 'CloseBracket' : 'CloseParen';
  const values: string[] = [];
  let wantsValue = true;
  for (;;) {
    const token = reader.peek();
    if (reader.takeIf(closing) !== undefined) {
      if (wantsValue && values.length > 0) report(token!, 'a value is missing after the comma');
      break;
    }
    if (token === undefined || endsList.has(token.name)) {
      report(opening, 'the closing bracket of the list is missing');
      break;
    }
    if (isValueLike(token)) {
      if (!wantsValue) report({ from: token.from, to: token.from }, 'a comma is missing', ', ');
      values.push(explainValue(reader, report));
      wantsValue = false;
    } else if (reader.takeIf('Comma') !== undefined) {
      if (wantsValue) report(token, 'a value is missing before the comma');
      wantsValue = true;
    } else {
      reader.take();
      report(token, `a list holds values, not ${token.text}`);
    }
  }
  return { place: { from: opening.from, to: reader.end.to }, meant: `[${values.join(', ')}]` };
}

/** Tokens that cannot occur in a list: the list ended before them. */
const endsList: ReadonlySet<string> = new Set([
  'and',
  'or',
  'Pipe',
  'CloseParen',
  'CloseBracket',
  'CompareOperator',
]);
