import type { CommandName } from '../commands/catalogue.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import { clusterMembers } from '../flags/rows/takers.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

type Values = Pick<FlagValues, 'multiregion' | 'region' | 'regionGroups' | 'databaseURL'>;

/** Settings of a control plane over several regions. */
export function checkRegions(values: Values, command: CommandName): Violation | undefined {
  const { multiregion, region, regionGroups, databaseURL } = values;
  if (multiregion && region === undefined)
    return missing(['region'], 'set it to the region of this process, for -multiregion').problem;
  if (command !== 'control-plane') return undefined;
  if (!multiregion) {
    if (region !== undefined)
      return forbidden(['region'], 'the region of a control plane needs -multiregion').problem;
    return regionGroups.length === 0
      ? undefined
      : forbidden(['regionGroups'], 'groups of regions need -multiregion').problem;
  }
  if (databaseURL === undefined)
    return missing(['databaseURL'], 'control planes in several regions share a PostgreSQL database').problem;
  return /^postgres/i.test(databaseURL)
    ? undefined
    : forbidden(
        ['multiregion', 'databaseURL'],
        'control planes in several regions share a PostgreSQL database, and other databases are of one machine',
      ).problem;
}

export const regionRule: Rule = {
  statement:
    '-multiregion needs -region. Of a control plane it needs a PostgreSQL database too, and -region and ' +
    '-regionGroups need -multiregion.',
  flags: ['multiregion', 'region', 'regionGroups', 'databaseURL'],
  commands: [...clusterMembers, 'control-plane'],
  check: (values, command) => checkRegions(values, command),
};
