import type { FlagName } from '../flags/catalogue.ts';
import { forbidden, missing, type Rule } from './rule.ts';

const needed = ['file', 'apiURL', 'apiKey'] as const satisfies readonly FlagName[];

export const applyRule: Rule = {
  statement:
    'apply needs -file, and -apiURL and -apiKey unless the same user runs a local, playground or demo cluster on this machine. -detailedExitCode needs -dryRun.',
  flags: [...needed, 'detailedExitCode', 'dryRun'],
  commands: ['apply'],
  check(values) {
    if (values.detailedExitCode && !values.dryRun)
      return forbidden(['detailedExitCode'], 'needs -dryRun').problem;
    const absent = needed.find((name) => values[name] === undefined || values[name].length === 0);
    return absent === undefined ? undefined : missing([absent], 'is required').problem;
  },
};
