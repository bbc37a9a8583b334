/**
 * The operations that a client may carry out, one bit for each by its number among the ACL operations. There are no ACLs yet, so
 * that everybody may do all that exists.
 */
const operation = {
  read: 3,
  write: 4,
  create: 5,
  delete: 6,
  alter: 7,
  describe: 8,
  clusterAction: 9,
  describeConfigs: 10,
  alterConfigs: 11,
  idempotentWrite: 12,
} as const;

export const topicOperations = bits(
  'read',
  'write',
  'create',
  'delete',
  'alter',
  'describe',
  'describeConfigs',
  'alterConfigs',
);

export const clusterOperations = bits(
  'create',
  'alter',
  'describe',
  'clusterAction',
  'describeConfigs',
  'alterConfigs',
  'idempotentWrite',
);

export const groupOperations = bits('read', 'delete', 'describe', 'describeConfigs', 'alterConfigs');

export { operationsNotAsked } from '../security/access.ts';

function bits(...names: (keyof typeof operation)[]): number {
  return names.reduce((all, name) => all | (1 << operation[name]), 0);
}
