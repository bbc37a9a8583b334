interface SourceContext {
  readonly source?: string;
}

// TypeScript does not know them yet.
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: SourceContext) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** Every number that a double can change looks like this, and some text does. */
const maybeInexact = /\d[\d.]{15}|\de[+-]?\d{3}/i;
const inexactNumber = /[\d.]{16}|e[+-]?\d{3}/i;

/**
 * Parses JSON. Numbers that a double might change are kept as text for `JSON.stringify`, since they are written and
 * not calculated with: ids of 64 bits lose no digits.
 */
export function exactJson(text: string): unknown {
  if (!maybeInexact.test(text)) return JSON.parse(text) as unknown;
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && inexactNumber.test(source!) ? rawJSON(source!) : value,
  );
}
