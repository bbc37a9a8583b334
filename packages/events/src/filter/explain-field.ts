import { castAdvice, isCast } from './cast-advice.ts';
import type { FieldCheck } from './known-fields.ts';
import type { Token } from './language.ts';
import type { Place, Report } from './problem.ts';
import { quoteName, unquote } from './quoting.ts';
import type { TokenReader } from './token-reader.ts';
import { words } from './tree.ts';

/** Tokens that people write into names without backticks. */
const strayParts: ReadonlySet<string> = new Set(['Identifier', 'Number', 'Unknown', ...words]);

const afterDot: readonly string[] = ['Identifier', 'QuotedName', ...words];

export interface ExplainedField extends Place {
  /** Whether its names are valid. */
  readonly isSound: boolean;
}

/** Reads a field whose first name is the next token, and reports its problems. */
export function explainField(reader: TokenReader, checkField: FieldCheck, report: Report): ExplainedField {
  const { from } = reader.peek()!;
  let isSound = true;
  const path = [readName(reader.take()!)];
  while (reader.takeIf('Dot') !== undefined) {
    const key = reader.takeIf(...afterDot) ?? reader.takeIf('Number', 'Unknown');
    if (key !== undefined) path.push(readName(key));
    else {
      report(reader.end, 'a name is missing after the dot');
      isSound = false;
    }
  }
  if (isSound) checkField(path, { from, to: reader.end.to }, report);
  explainCast();
  return { from, to: reader.end.to, isSound };

  function readName(token: Token): string {
    if (token.name === 'QuotedName') return unquote(token.text).text;
    const place = reader.takeGlued(token.from, ({ name }) => strayParts.has(name));
    const isPlain = place.to === token.to && token.name !== 'Number' && token.name !== 'Unknown';
    if (isPlain) return token.text;
    const name = reader.textOf(place);
    report(
      place,
      `${name} needs backticks: without them names have letters, digits and _ only`,
      quoteName(name),
    );
    isSound = false;
    return name;
  }

  function explainCast(): void {
    if (reader.takeIf('Colons') === undefined) return;
    const cast = reader.takeIf('Identifier', ...words);
    if (cast === undefined) report(reader.end, 'a cast is missing after ::; use int, float or str');
    else if (!isCast(cast.text)) report(cast, ...castAdvice(cast.text));
  }
}
