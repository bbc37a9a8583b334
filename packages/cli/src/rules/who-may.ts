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
    'who-may takes exactly one of -topic, -group, -transactional-id and -whole-cluster. -apiURL and -apiKey go together ' +
    'and are needed for superusers only.',
  flags: [...resourceFlags, 'operation', 'apiURL', 'apiKey', 'cluster'],
  commands: ['cli who-may'],
  check: (values) => wrongResource(values) ?? wrongApi(values),
};

function wrongResource(values: FlagValues): Violation | undefined {
  const [first, second] = resourceFlags.filter(
    (name) => values[name] !== undefined && values[name] !== false,
  );
  if (first === undefined)
    return missing(['topic'], 'who-may needs it, or -group, -transactional-id or -whole-cluster').problem;
  if (second !== undefined) return forbidden([first, second], 'one resource is needed').problem;
  const known: readonly NeededOperation[] = operationsOfResource[resources[first]];
  const wrong = (values.operation ?? []).some((one) => one !== 'ALL' && !known.includes(one));
  if (!wrong) return undefined;
  return forbidden(['operation'], `the operations of a ${resources[first]} are ${known.join(', ')}`).problem;
}

function wrongApi({ apiURL, apiKey, cluster }: FlagValues): Violation | undefined {
  if (apiURL === undefined && apiKey !== undefined)
    return missing(['apiURL'], 'who-may needs it with -apiKey').problem;
  if (apiURL !== undefined && apiKey === undefined)
    return missing(['apiKey'], 'who-may needs it with -apiURL').problem;
  return apiURL === undefined && cluster !== undefined
    ? forbidden(['cluster'], 'only goes together with -apiURL; -whole-cluster is the resource').problem
    : undefined;
}
