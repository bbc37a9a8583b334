interface SourceContext {
  readonly source?: string;
}

// TypeScript does not know them yet.
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: SourceContext) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/** Digits that a double always holds, and one more. */
const inexactDigits = 16;
const inexactNumber = /[\d.]{16}|e[+-]?\d{3}/i;
const largeExponent = /\de[+-]?\d{3}/i;

/** Whether JSON may have numbers that a double changes. Digits in texts count as well. */
export function mayBeInexact(text: string): boolean {
  let run = 0;
  // A pattern would try every digit of a number as its first one.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    run = (code >= 48 && code <= 57) || code === 46 ? run + 1 : 0;
    if (run === inexactDigits) return true;
  }
  return largeExponent.test(text);
}

/**
 * Parses JSON. Numbers that a double might change are kept as text for `JSON.stringify`, since they are written and
 * not calculated with: ids of 64 bits lose no digits. It takes several times as long as `JSON.parse`.
 */
export function exactJson(text: string): unknown {
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && inexactNumber.test(source!) ? rawJSON(source!) : value,
  );
}

/** The text of a number that was kept as text. */
export function exactNumberOf(value: unknown): string | undefined {
  return isRawJSON(value) ? value.rawJSON : undefined;
}
