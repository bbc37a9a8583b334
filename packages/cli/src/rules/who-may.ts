import { type NeededOperation, operationsOfResource } from '@weir/core';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

const resources = {
  topic: 'TOPIC',
  group: 'GROUP',
  'transactional-id': 'TRANSACTIONAL_ID',
  'whole-cluster': 'CLUSTER',
} as const satisfies Partial<Record<FlagName, keyof typeof operationsOfResource>>;
const resourceFlags = Object.keys(resources) as (keyof typeof resources)[];

export const whoMayRule: Rule = {
  statement:
    'who-may needs exactly one of -topic, -group, -transactional-id and -whole-cluster. -apiURL and -apiKey need each other ' +
    'and are only used to list superusers.',
  flags: [...resourceFlags, 'operation', 'apiURL', 'apiKey', 'cluster'],
  commands: ['cli who-may'],
  check: (values) => wrongResource(values) ?? wrongApi(values),
};

function wrongResource(values: FlagValues): Violation | undefined {
  const [first, second] = resourceFlags.filter(
    (name) => values[name] !== undefined && values[name] !== false,
  );
  if (first === undefined)
    return missing(['topic'], 'is required, or -group, -transactional-id or -whole-cluster').problem;
  if (second !== undefined) return forbidden([first, second], 'set one resource').problem;
  const known: readonly NeededOperation[] = operationsOfResource[resources[first]];
  const wrong = (values.operation ?? []).some((one) => one !== 'ALL' && !known.includes(one));
  if (!wrong) return undefined;
  return forbidden(['operation'], `the operations of a ${resources[first]} are ${known.join(', ')}`).problem;
}

function wrongApi({ apiURL, apiKey, cluster }: FlagValues): Violation | undefined {
  if (apiURL === undefined && apiKey !== undefined)
    return missing(['apiURL'], 'is required with -apiKey').problem;
  if (apiURL !== undefined && apiKey === undefined)
    return missing(['apiKey'], 'is required with -apiURL').problem;
  return apiURL === undefined && cluster !== undefined
    ? forbidden(['cluster'], 'needs -apiURL; use -whole-cluster for the cluster as resource').problem
    : undefined;
}
