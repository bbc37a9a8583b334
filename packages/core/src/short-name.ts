import { coreLimits } from './limits.ts';

/** A name from outside for a report: bounded, well-formed, and without control characters. */
export function shortName(name: string): string {
  return name
    .slice(0, coreLimits.reportedNameCharsMax)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '?');
}
