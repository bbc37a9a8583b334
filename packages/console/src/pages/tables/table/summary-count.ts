/** A number of the summary of a snapshot, whose values are texts; `null` if it has none of that name. */
export function summaryCount(summary: Readonly<Record<string, string>>, name: string): number | null {
  const text = Object.hasOwn(summary, name) ? summary[name]! : '';
  return /^\d+$/.test(text) ? Number(text) : null;
}
