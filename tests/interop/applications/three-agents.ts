import type { Lifetime } from '../brokers/weir-process.ts';
import { startCluster } from '../brokers/weir-process.ts';

/**
 * Starts three agents in two zones. A client uses the agent that it found first, or one of its zone, as group
 * coordinator.
 */
export async function startThreeAgents(
  lifetime: Lifetime,
): Promise<readonly [first: string, second: string, third: string]> {
  const { agents } = await startCluster(lifetime, {
    agents: [{ zone: 'zone-a' }, { zone: 'zone-a' }, { zone: 'zone-b' }],
    controlPlanes: 1,
  });
  const [first, second, third] = agents.map((agent) => agent.address('Kafka'));
  return [first!, second!, third!];
}
