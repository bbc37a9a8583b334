import type { Problem } from '../problem.ts';
import type { FlagName } from './catalogue.ts';
import type { Setting } from './settings.ts';

/** What a planned flag or command answers. Silence would let an operator believe that the setting works. */
export const notAvailable = 'not available in this release';

/**
 * The first planned setting that the user has set. Variables of other programs were not set for us.
 *
 * A row is available as soon as one command that exists does what it says. Planned commands may share it: they are refused
 * themselves, whatever flags they are given.
 */
export function refusePlanned(settings: ReadonlyMap<FlagName, Setting>): Problem | undefined {
  for (const { row, spelling } of settings.values()) {
    if (row.status === 'planned' && row.hasFlag) return { subject: spelling, rule: notAvailable };
  }
  return undefined;
}
