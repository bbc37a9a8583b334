import { bucketFact, clusterFacts, readBuckets, writeBucket } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import type { Namespace } from '../kv/namespaces.ts';
import { machineLimits } from '../limits.ts';

/** Which key-value entries a clone takes over. */
const isTaken: { readonly [Name in Namespace]: boolean } = {
  // Members belong to the cluster that was cloned. Groups begin without members, at their committed offsets.
  group: false,
  groupMember: false,
  sharePartition: true,
  groupConfigs: true,
  clientQuota: true,
  acl: true,
  clientMetrics: true,
  // A clone has clients, agents and processes of its own.
  scramCredential: false,
  credential: false,
  credentialUse: false,
  delegationToken: false,
  agentSecret: false,
  controlPlaneSecret: false,
  clusterFact: false,
  nodeId: false,
  brokerConfigs: false,
  jobEnd: false,
  // Their files lie below the prefix of the cluster that was cloned, which commits them.
  fileSequence: false,
  // The migration writes to the cluster that was cloned. In the clone its topics are ordinary ones.
  managedTopic: false,
};

/**
 * Turns the state of a cluster into the first state of a clone. Its pointers refer to the files of the cluster that was
 * cloned, which holds them. Transactions that are open end by their timeout.
 */
export function becomeClone(state: ClusterState, cloneId: string, nowMs: number): void {
  const { clusterId, files, kv, recentFiles, recentRequests } = state;
  if (files.origins.length >= machineLimits.cloneOriginsMax)
    throw new MalformedCommand(`a clone has files of at most ${machineLimits.cloneOriginsMax} clusters`);
  const { namespace, key } = clusterFacts.bucketId;
  const bucketId = kv.get(namespace, key);
  const buckets = readBuckets(kv.of(namespace));
  files.becomeClone(clusterId);
  recentFiles.forgetOldest(recentFiles.count);
  recentRequests.forgetOldest(recentRequests.count);
  for (const entry of kv.all()) if (!isTaken[entry.namespace]) kv.delete(entry.namespace, entry.key);
  // Agents of the clone then refuse another bucket.
  if (bucketId !== undefined) kv.put(namespace, key, bucketId);
  // Its pointers name files of these buckets, whose ids lie below the prefix of the cluster that was cloned.
  for (const { number, ...bucket } of buckets) {
    const idOf = number === 0 ? undefined : (bucket.idOf ?? clusterId);
    if (number > 0 || bucket.url !== '')
      kv.put(namespace, bucketFact(number).key, writeBucket({ ...bucket, idOf }));
  }
  kv.put('clusterFact', clusterFacts.cloneOf.key, Buffer.from(clusterId));
  kv.put('clusterFact', clusterFacts.filesKnownFrom.key, Buffer.from(String(nowMs)));
  state.clusterId = cloneId;
  state.nowMs = Math.max(state.nowMs, nowMs);
}
