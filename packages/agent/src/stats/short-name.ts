import { coreLimits } from '@weir/core';

/** A name that somebody else chose, as it is reported: bounded, and without what takes a line or six characters to print. */
export function shortName(name: string): string {
  return name
    .slice(0, coreLimits.reportedNameCharsMax)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '?');
}
