import type { KafkaConnection } from '../../packages/client/src/connection.ts';
import { connect } from '../../tests/interop/brokers/stored.ts';

/** Connections that are opened at the same time. */
const openingMax = 200;

/** Opens connections to the agents in turn, one per group member. */
export async function openConnections(
  addresses: readonly string[],
  count: number,
): Promise<readonly KafkaConnection[]> {
  const connections: KafkaConnection[] = [];
  while (connections.length < count) {
    const first = connections.length;
    const size = Math.min(openingMax, count - first);
    const opening = Array.from({ length: size }, (_, index) =>
      connect(addresses[(first + index) % addresses.length]!, 'bench'),
    );
    connections.push(...(await Promise.all(opening)));
  }
  return connections;
}

export function closeAll(connections: readonly KafkaConnection[]): void {
  for (const connection of connections) connection.close();
}
