import type { FlagName } from '../flags/catalogue.ts';
import { eventTools } from '../flags/rows/takers.ts';
import { missing, type Rule } from './rule.ts';

const needed = ['apiURL', 'apiKey'] as const satisfies readonly FlagName[];

export const eventToolsRule: Rule = {
  statement: 'The tools for events need -apiURL and -apiKey.',
  flags: needed,
  commands: eventTools,
  check(values) {
    const absent = needed.find((name) => values[name] === undefined || values[name].length === 0);
    return absent === undefined ? undefined : missing([absent], 'the tools for events need it').problem;
  },
};
