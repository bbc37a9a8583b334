/**
 * Version ranges as the protocol's documents write them: `3` is one version, `3+` is 3 and later, `0-4` includes both
 * ends. A field has the range of message versions in which it exists.
 */
export type VersionText = `${number}` | `${number}+` | `${number}-${number}`;

export interface VersionRange {
  readonly lowest: number;
  readonly highest: number;
}

export const everyVersion: VersionRange = { lowest: 0, highest: Number.POSITIVE_INFINITY };
export const noVersion: VersionRange = { lowest: 0, highest: -1 };

/** Definitions are part of this code, so a malformed range is a bug and not a peer's mistake. */
export function parseVersions(text: VersionText): VersionRange {
  const match = /^(\d+)(?:(\+)|-(\d+))?$/.exec(text);
  if (match === null) throw new TypeError(`not a version range: ${text}`);
  const lowest = Number(match[1]);
  if (match[2] !== undefined) return { lowest, highest: Number.POSITIVE_INFINITY };
  const highest = match[3] === undefined ? lowest : Number(match[3]);
  if (highest < lowest) throw new TypeError(`a version range runs upwards: ${text}`);
  return { lowest, highest };
}

export function includesVersion(range: VersionRange, version: number): boolean {
  return range.lowest <= version && version <= range.highest;
}
