import { apis, errors } from '@weir/wire';
import type { Address } from './address.ts';
import type { KafkaCluster } from './cluster.ts';
import { KafkaRequestFailed } from './request-failed.ts';

/** The broker that manages a group: its members, its state and its offsets; or the transactions of one producer. */
export interface Coordinator extends Address {
  readonly nodeId: number;
}

const keyTypes = { group: 0, transaction: 1 } as const;

/**
 * Looks up the coordinator of a group or of a transactional id once. Neither need exist, because the name determines
 * the coordinator.
 */
export async function findCoordinator(
  cluster: KafkaCluster,
  name: string,
  kind: keyof typeof keyTypes = 'group',
): Promise<Coordinator> {
  const connection = await cluster.bootstrap();
  const answer = await connection.request(
    apis.FindCoordinator,
    (version) => ({
      ...(version >= 4 ? { coordinatorKeys: [name] } : { key: name }),
      ...(version >= 1 ? { keyType: keyTypes[kind] } : {}),
    }),
    { timeoutMs: cluster.timeoutMs },
  );
  // Up to v3 the answer is at the top level, later in a list.
  const found = answer.coordinators[0] ?? answer;
  if (found.errorCode !== errors.NONE.code) {
    throw new KafkaRequestFailed(`${kind} coordinator`, found.errorCode, found.errorMessage);
  }
  const { nodeId, host, port } = found;
  return { nodeId, host, port };
}
