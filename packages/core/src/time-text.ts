/** Formats a time as in API responses: RFC 3339 in UTC, with milliseconds. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
