import { Lifetime } from '../kafka/lifetime.ts';
import type { ServerProcess } from '../kafka/server-process.ts';
import { startCluster } from '../kafka/weir.ts';
import type { Effort } from '../side-by-side.ts';

/** One control-plane process over SQLite, and some agents, each in a process of its own. */
export interface GroupCluster {
  readonly controlPlane: ServerProcess;
  /** Kafka address of each agent: `127.0.0.1:40001`. */
  readonly addresses: readonly string[];
}

/** Runs the work with a new cluster of so many agents; a smoke test may bring its cluster. */
export function withGroupCluster<Result>(
  { shared }: Effort,
  agents: number,
  work: (cluster: GroupCluster) => Promise<Result>,
): Promise<Result> {
  if (shared !== undefined) {
    const { controlPlane, servers } = shared.cluster;
    return work({ controlPlane, addresses: [servers] });
  }
  return Lifetime.during(async (lifetime) => {
    const { controlPlane, servers, addAgent } = await startCluster(lifetime, { profileFolder: undefined });
    const more = await Promise.all(Array.from({ length: agents - 1 }, addAgent));
    return work({ controlPlane, addresses: [servers, ...more] });
  });
}
