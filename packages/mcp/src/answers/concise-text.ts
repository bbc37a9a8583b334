/**
 * Formats an answer as text that costs a model few tokens: a line per field, and a tab-separated table per list of
 * objects. Column names occur once, so it takes a fraction of the same as JSON.
 */
export function conciseText(answer: Readonly<Record<string, unknown>>): string {
  return linesOf(answer, '').join('\n');
}

function linesOf(fields: Readonly<Record<string, unknown>>, path: string): string[] {
  return Object.entries(fields).flatMap(([name, value]): string[] => {
    const label = path + name;
    if (value === undefined || value === null) return [];
    if (isTable(value)) return [`${label} (${value.length}):`, ...tableOf(value)];
    if (isObject(value)) return linesOf(value, `${label}.`);
    return [`${label}: ${cellOf(value)}`];
  });
}

type Row = Readonly<Record<string, unknown>>;

function isTable(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tableOf(rows: readonly Row[]): string[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [columns.join('\t'), ...rows.map((row) => columns.map((column) => cellOf(row[column])).join('\t'))];
}

/** Formats a table cell. Names that clients choose cannot begin a new cell or line. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((item) => !isObject(item) && !Array.isArray(item)))
    return value.map(cellOf).join(',');
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}
