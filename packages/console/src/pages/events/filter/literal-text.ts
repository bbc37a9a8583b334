import { parseFilter, printLiteral } from '@weir/events';

export type Literal = string | number | boolean | null;

/**
 * Values as a person types them into a row: `orders` and `User:bob` are texts without quotes, `42`, `true` and `null`
 * what they say, and a text that looks like those is in quotes.
 */
export function readLiteral(text: string): Literal {
  const [condition, ...others] = parseFilter(`x == ${text}`).filter?.stages ?? [];
  return condition?.kind === 'comparison' && others.length === 0 ? condition.value : text;
}

/** What a field of one line would drop or hide. */
const needsQuotes = /^\s|\s$|\p{Cc}/u;

export function literalText(value: Literal): string {
  const isPlain =
    typeof value === 'string' && value !== '' && !needsQuotes.test(value) && readLiteral(value) === value;
  return isPlain ? value : printLiteral(value);
}

/** Values between commas. Where one has quotes, all texts have. */
export function readLiterals(text: string): readonly Literal[] {
  const [condition, ...others] = parseFilter(`x in [${text}]`).filter?.stages ?? [];
  if (condition?.kind === 'membership' && others.length === 0) return condition.values;
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readLiteral);
}

export function literalsText(values: readonly Literal[]): string {
  const plain = values.map(literalText).join(', ');
  const isSame = JSON.stringify(readLiterals(plain)) === JSON.stringify(values);
  return isSame ? plain : values.map(printLiteral).join(', ');
}
