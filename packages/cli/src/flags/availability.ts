import type { Problem } from '../problem.ts';
import type { FlagName } from './catalogue.ts';
import type { Setting } from './settings.ts';

/** The error for a planned flag or command. Ignoring it would let an operator believe that the setting works. */
export const notAvailable = 'not available in this release';

/**
 * The first planned setting that the user has set.
 *
 * A row is available as soon as one existing command implements it. Planned commands may share the row: they are
 * rejected themselves, whatever flags they get.
 */
export function refusePlanned(settings: ReadonlyMap<FlagName, Setting>): Problem | undefined {
  for (const { row, spelling } of settings.values()) {
    if (row.status === 'planned') return { subject: spelling, rule: notAvailable };
  }
  return undefined;
}
