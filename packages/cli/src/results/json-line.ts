/** JSON on one line that is printed as it is, where it is a field of an object. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * One line of JSON. An int64 is written with all its digits, because clients send timestamps in nanoseconds by mistake.
 */
export function jsonLine(value: unknown): string {
  return `${jsonOf(value)}\n`;
}

function jsonOf(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (!hasJsonText(value))
    return JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? exactJson.rawJSON(String(inner)) : inner,
    );
  // The runtime writes numbers as they are, but no objects.
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonOf(field)}`).join(',')}}`;
}

/** Whether a text is in an object, or in an object in it. */
function hasJsonText(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).some((field) => field instanceof JsonText || hasJsonText(field))
  );
}

/** Node has it; TypeScript does not declare it yet. */
const exactJson = JSON as unknown as { rawJSON(text: string): unknown };
