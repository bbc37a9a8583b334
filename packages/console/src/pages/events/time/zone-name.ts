/** The name of the zone in which days begin. */
export function zoneName(zone: 'utc' | 'local'): string {
  return zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
