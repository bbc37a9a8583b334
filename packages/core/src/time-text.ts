/** A moment as answers of the API have it: RFC 3339 in UTC, with milliseconds. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
