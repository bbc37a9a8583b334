/**
 * Namespaces of key-value entries. Numbers are in journals and snapshots and are never reused. Paths without a package
 * are in this one.
 */
export const namespaces = {
  /** Groups by id; the value starts with the type of the group (package `groups`). */
  group: { number: 1, isFollowed: false },
  /** Client quotas by entity, as JSON (quotas/). */
  clientQuota: { number: 2, isFollowed: true },
  /** SCRAM-SHA-512 credentials by username (credentials/). */
  scramCredential: { number: 3, isFollowed: true },
  /** ACLs; the key contains all fields (acls/). */
  acl: { number: 4, isFollowed: true },
  /** Credentials of the cluster by username, without passwords (`cluster`, credentials/credential-entry.ts). */
  credential: { number: 5, isFollowed: true },
  /** Secrets that all agents of the cluster share, by use. The leader creates them (`cluster`, cluster-secrets.ts). */
  agentSecret: { number: 6, isFollowed: true },
  /** Secrets of the control-plane processes, by use. Agents do not receive them. */
  controlPlaneSecret: { number: 7, isFollowed: false },
  /** Facts for agents about their cluster, by name (`cluster`, cluster-facts.ts). */
  clusterFact: { number: 8, isFollowed: true },
  /** When credentials were last used, by username (credentials/credential-use.ts). */
  credentialUse: { number: 9, isFollowed: false },
  /** Members of groups that store each member separately, by group and member id (`groups`, consumer/record.ts). */
  groupMember: { number: 10, isFollowed: false },
  /** State of share groups in partitions, by group and partition (`groups`, share/partitions). */
  sharePartition: { number: 11, isFollowed: false },
  /** Agents by node id (node-ids/node-ids.ts). */
  nodeId: { number: 12, isFollowed: false },
  /** Topics that a migration manages, by id, as JSON (`cluster`, migration/managed-topic.ts). */
  managedTopic: { number: 13, isFollowed: true },
  /** Delegation tokens by id (credentials/delegation-tokens.ts). */
  delegationToken: { number: 14, isFollowed: true },
  /** Sequences of files that may be acknowledged before their commit, by id (`cluster`, file-sequence.ts). */
  fileSequence: { number: 15, isFollowed: false },
  /** Configs of groups by id, as JSON (alter-configs.ts). */
  groupConfigs: { number: 30, isFollowed: false },
  /** Client-metrics subscriptions by name: their configs as JSON (alter-configs.ts). */
  clientMetrics: { number: 31, isFollowed: true },
  /** Configs of individual brokers by node id, as JSON (alter-configs.ts). */
  brokerConfigs: { number: 32, isFollowed: true },
  /** Ends of lasting jobs by kind and scope, as JSON (`metadata`, jobs/job-ends.ts). */
  jobEnd: { number: 33, isFollowed: false },
} as const satisfies Record<string, NamespaceRow>;

interface NamespaceRow {
  readonly number: number;
  /** Whether followers receive its entries. */
  readonly isFollowed: boolean;
}

export type Namespace = keyof typeof namespaces;

export const namespaceNames = Object.keys(namespaces) as readonly Namespace[];

export function namespaceOf(number: number): Namespace | undefined {
  return namespaceNames.find((name) => namespaces[name].number === number);
}
