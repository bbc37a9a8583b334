/** A value of a result as text; what is nested as JSON. */
export function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
