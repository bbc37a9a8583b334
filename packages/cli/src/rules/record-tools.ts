import type { FlagName } from '../flags/catalogue.ts';
import { missing, type Rule } from './rule.ts';

const sources = ['apiURL', 'apiKey', 'bucketURL'] as const satisfies readonly FlagName[];

export const recordToolsRule: Rule = {
  statement:
    'diagnose-record asks the leader with -apiURL and -apiKey, or reads the metadata backup in -bucketURL. It reads the record if -bucketURL is set.',
  flags: sources,
  commands: ['cli diagnose-record'],
  check({ apiURL, apiKey, bucketURL }) {
    if (apiURL === undefined && apiKey === undefined && bucketURL !== undefined) return undefined;
    if (apiURL === undefined) return missing(['apiURL'], 'is required, or -bucketURL').problem;
    return apiKey === undefined ? missing(['apiKey'], 'is required with -apiURL').problem : undefined;
  },
};
