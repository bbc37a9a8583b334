/**
 * What the records of a cluster are about. The number is in journals and snapshots, so that it is never used for anything
 * else.
 */
export const namespaces = {
  /** Groups by their ids; the value begins with the type of the group (groups/coordinator). */
  group: { number: 1, isFollowed: false },
  /** Client quotas by the entities that they are for, as JSON (quotas/). */
  clientQuota: { number: 2, isFollowed: true },
  /** SCRAM-SHA-512 credentials by the names of their users (credentials/). */
  scramCredential: { number: 3, isFollowed: true },
  /** ACLs by all that they say, which is all that they are (acls/). */
  acl: { number: 4, isFollowed: true },
  /** Credentials of the cluster by their usernames: who they are besides the password (credentials/credential-record.ts). */
  credential: { number: 5, isFollowed: true },
  /** Secrets that all agents of the cluster share, by their use. The leader makes them (cluster/cluster-secrets.ts). */
  agentSecret: { number: 6, isFollowed: true },
  /** Secrets of the control-plane processes, by their use. No agent sees them. */
  controlPlaneSecret: { number: 7, isFollowed: false },
  /** What agents are told of their cluster, by what it is (cluster/cluster-facts.ts). */
  clusterFact: { number: 8, isFollowed: true },
  /** When credentials were used last, by their usernames (credentials/credential-use.ts). */
  credentialUse: { number: 9, isFollowed: false },
  /** Members of groups that keep each of them by itself, by the ids of both (groups/consumer/record.ts). */
  groupMember: { number: 10, isFollowed: false },
  /** Where share groups stand in partitions, by the ids of both (groups/share/partitions). */
  sharePartition: { number: 11, isFollowed: false },
  /** Which agents have which node ids, by those (node-ids/node-ids.ts). */
  nodeId: { number: 12, isFollowed: false },
  /** Configs of groups by their ids, as JSON (alter-configs.ts). */
  groupConfigs: { number: 30, isFollowed: false },
  /** Subscriptions to the metrics of clients by their names: their configs as JSON (alter-configs.ts). */
  clientMetrics: { number: 31, isFollowed: true },
  /** Configs of single brokers by their node ids, as JSON (alter-configs.ts). */
  brokerConfigs: { number: 32, isFollowed: true },
} as const satisfies Record<string, NamespaceRow>;

interface NamespaceRow {
  readonly number: number;
  /** Whether agents have to know: its records are part of what followers see. */
  readonly isFollowed: boolean;
}

export type Namespace = keyof typeof namespaces;

export const namespaceNames = Object.keys(namespaces) as readonly Namespace[];

export function namespaceOf(number: number): Namespace | undefined {
  return namespaceNames.find((name) => namespaces[name].number === number);
}
