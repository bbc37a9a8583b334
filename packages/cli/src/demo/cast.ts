import type { Acl, AclOperation, AclResourceType } from '@weir/core';
import { clusterResourceName, registryResourceName } from '@weir/core';
import type { DemoTopicName } from './topics.ts';

/** What a client of the demo may do. */
interface Part {
  readonly writes?: readonly DemoTopicName[];
  readonly reads?: readonly DemoTopicName[];
  /** Topics that it sees and may neither read nor write. */
  readonly sees?: readonly DemoTopicName[];
  readonly groups?: readonly string[];
  readonly transactionalIds?: readonly string[];
}

/** The id of the transactions of the checkout. */
export const checkoutTransactions = 'checkout';

/** The consumer groups, by what becomes of them. */
export const demoGroups = {
  healthy: 'order-fulfilment',
  committed: 'fraud-detection',
  slow: 'clickstream-analytics',
  stuck: 'invoice-printer',
  abandoned: 'nightly-export',
} as const;

/** The clients of the demo: each logs in with a credential of its own and may do what its part says. */
const demoClients = {
  storefront: { writes: ['page-views', 'orders'] },
  kiosk: { writes: ['page-views'] },
  checkout: { writes: ['payments', 'ledger'], transactionalIds: [checkoutTransactions] },
  warehouse: { writes: ['shipments', 'inventory'] },
  importer: { writes: ['shipments'] },
  backoffice: { writes: ['customers', 'audit-trail'] },
  fulfilment: { reads: ['orders'], groups: [demoGroups.healthy] },
  fraud: { reads: ['payments'], groups: [demoGroups.committed] },
  invoicing: { reads: ['orders'], groups: [demoGroups.stuck] },
  exporter: { reads: ['orders'], groups: [demoGroups.abandoned] },
  marketing: { reads: ['page-views'], sees: ['payments'], groups: [demoGroups.slow] },
  partner: { sees: ['customers'] },
} as const satisfies Readonly<Record<string, Part>>;

export type DemoClientName = keyof typeof demoClients;

export const demoClientNames = Object.keys(demoClients) as readonly DemoClientName[];

/** A superuser, for people who explore the demo: a mistake in the rules is never final. */
export const adminName = 'admin';

/** Tools without a login may do everything, so that the commands of the documentation work as they are. */
const visitor = 'User:ANONYMOUS';

/** The rule of someone who took a star for a wildcard: it matches nothing, and a diagnostic says so. */
const mistakenAcl = rule('User:marketing', 'TOPIC', 'campaign-*', 'READ');

/** The ACLs of the demo. */
export function demoAcls(): readonly Acl[] {
  return [
    ...demoClientNames.flatMap((name) => aclsOf(`User:${name}`, demoClients[name])),
    rule(visitor, 'TOPIC', '*', 'ALL'),
    rule(visitor, 'GROUP', '*', 'ALL'),
    rule(visitor, 'TRANSACTIONAL_ID', '*', 'ALL'),
    rule(visitor, 'CLUSTER', clusterResourceName, 'ALL'),
    rule(visitor, 'SUBJECT', '*', 'ALL'),
    rule(visitor, 'REGISTRY', registryResourceName, 'ALL'),
    mistakenAcl,
  ];
}

function aclsOf(principal: string, part: Part): readonly Acl[] {
  const { writes = [], reads = [], sees = [], groups = [], transactionalIds = [] } = part;
  return [
    ...writes.map((name) => rule(principal, 'TOPIC', name, 'WRITE')),
    ...reads.map((name) => rule(principal, 'TOPIC', name, 'READ')),
    ...sees.map((name) => rule(principal, 'TOPIC', name, 'DESCRIBE')),
    ...groups.map((name) => rule(principal, 'GROUP', name, 'READ')),
    ...transactionalIds.map((name) => rule(principal, 'TRANSACTIONAL_ID', name, 'WRITE')),
  ];
}

function rule(
  principal: string,
  resourceType: AclResourceType,
  resourceName: string,
  operation: AclOperation,
): Acl {
  return {
    principal,
    resourceType,
    resourceName,
    operation,
    patternType: 'LITERAL',
    host: '*',
    permission: 'ALLOW',
  };
}
