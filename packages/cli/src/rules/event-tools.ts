import type { FlagName } from '../flags/catalogue.ts';
import { apiTools } from '../flags/rows/takers.ts';
import { missing, type Rule } from './rule.ts';

const needed = ['apiURL', 'apiKey'] as const satisfies readonly FlagName[];

export const eventToolsRule: Rule = {
  statement:
    'Tools that call the API need -apiURL and -apiKey. If neither is set, they use the local, playground or demo cluster that the same user runs on this machine.',
  flags: needed,
  commands: apiTools,
  check(values) {
    const absent = needed.find((name) => values[name] === undefined || values[name].length === 0);
    return absent === undefined ? undefined : missing([absent], 'is required').problem;
  },
};
