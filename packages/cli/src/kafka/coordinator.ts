import { apis, errors } from '@weir/wire';
import type { Address } from './address.ts';
import type { KafkaCluster } from './cluster.ts';
import { KafkaRequestFailed } from './request-failed.ts';

/** The broker that manages a group: its members, its state and its offsets. */
export interface Coordinator extends Address {
  readonly nodeId: number;
}

/** Looks up the coordinator of a group once. The group need not exist, because its name determines the coordinator. */
export async function findCoordinator(cluster: KafkaCluster, groupId: string): Promise<Coordinator> {
  const connection = await cluster.bootstrap();
  const answer = await connection.request(
    apis.FindCoordinator,
    (version) => (version >= 4 ? { coordinatorKeys: [groupId] } : { key: groupId }),
    { timeoutMs: cluster.timeoutMs },
  );
  // Up to v3 the answer is at the top level, later in a list.
  const found = answer.coordinators[0] ?? answer;
  if (found.errorCode !== errors.NONE.code) {
    throw new KafkaRequestFailed('group coordinator', found.errorCode, found.errorMessage);
  }
  const { nodeId, host, port } = found;
  return { nodeId, host, port };
}
