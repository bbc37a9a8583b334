import { clusterResourceName } from '@weir/core';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

const fields = [
  'resource-type',
  'resource-name',
  'pattern-type',
  'principal',
  'host',
  'operation',
  'permission',
] as const satisfies readonly FlagName[];

type Values = Pick<FlagValues, (typeof fields)[number] | 'confirm-delete-all-acls'>;

/** Checks the fields of an ACL that will be created. */
function checkNew(values: Values): Violation | undefined {
  const type = values['resource-type'];
  if (type === 'ANY') return forbidden(['resource-type'], 'a new ACL needs one resource type').problem;
  const pattern = values['pattern-type'];
  if (pattern === 'ANY' || pattern === 'MATCH') {
    return forbidden(['pattern-type'], 'a new ACL is LITERAL or PREFIXED').problem;
  }
  const name = values['resource-name'];
  const isOtherCluster = type === 'CLUSTER' && name !== undefined && name !== clusterResourceName;
  if (isOtherCluster) {
    return forbidden(['resource-name'], `the name of the cluster is ${clusterResourceName}`).problem;
  }
  if (type === undefined) return needed('resource-type');
  if (name === undefined && type !== 'CLUSTER') return needed('resource-name');
  if (isNone(values.principal)) return needed('principal');
  if (isNone(values.operation)) return needed('operation');
  return undefined;
}

function needed(flag: FlagName): Violation {
  return missing([flag], 'is required').problem;
}

function isNone(list: readonly unknown[] | undefined): boolean {
  return list === undefined || list.length === 0;
}

/** Whether the filter matches everything. */
function isFilterOfAll(values: Values): boolean {
  return (
    (values['resource-type'] ?? 'ANY') === 'ANY' &&
    values['resource-name'] === undefined &&
    !['LITERAL', 'PREFIXED'].includes(values['pattern-type'] ?? 'ANY') &&
    isNone(values.principal) &&
    values.host === undefined &&
    isNone(values.operation) &&
    values.permission === undefined
  );
}

export const aclToolsRule: Rule = {
  statement:
    'create-acls needs -resource-type, -resource-name (except for the cluster), -principal and -operation, and creates one ACL for ' +
    'each principal and operation. The other two filter by the flags that are set; delete-acls without a filter needs ' +
    '-confirm-delete-all-acls. -pattern-type=MATCH needs -resource-name.',
  flags: [...fields, 'confirm-delete-all-acls'],
  commands: ['cli create-acls', 'cli describe-acls', 'cli delete-acls'],
  check(values, command) {
    if (command === 'cli create-acls') return checkNew(values);
    if (values['pattern-type'] === 'MATCH' && values['resource-name'] === undefined) {
      return forbidden(['pattern-type'], 'needs -resource-name').problem;
    }
    if (command === 'cli delete-acls' && isFilterOfAll(values) && !values['confirm-delete-all-acls']) {
      const rule = 'without a filter all ACLs would be deleted; set a filter, or confirm with this flag';
      return missing(['confirm-delete-all-acls'], rule).problem;
    }
    return undefined;
  },
};
