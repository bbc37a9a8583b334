import type { KafkaConnection } from '../../packages/cli/src/kafka/connection.ts';
import { connect } from '../../tests/interop/brokers/stored.ts';

/** How many are opened at a time. */
const openingMax = 200;

/** Connections to agents in turn, as many members of groups have them: one each. */
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
