import type { FlagName } from '../flags/catalogue.ts';
import { missing, type Rule } from './rule.ts';

const sources = ['apiURL', 'apiKey', 'bucketURL'] as const satisfies readonly FlagName[];

export const recordToolsRule: Rule = {
  statement:
    'diagnose-record asks the leader by -apiURL and -apiKey, or else reads the metadata backup in the bucket of -bucketURL. It reads the record where -bucketURL names the bucket.',
  flags: sources,
  commands: ['cli diagnose-record'],
  check({ apiURL, apiKey, bucketURL }) {
    if (apiURL === undefined && apiKey === undefined && bucketURL !== undefined) return undefined;
    if (apiURL === undefined)
      return missing(['apiURL'], 'diagnose-record needs it, or -bucketURL alone').problem;
    return apiKey === undefined
      ? missing(['apiKey'], 'diagnose-record needs it with -apiURL').problem
      : undefined;
  },
};
