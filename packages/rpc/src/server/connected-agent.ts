import type { AgentDescription } from '@weir/cluster';
import type { ServedCluster } from './served-cluster.ts';

/** Reports to the cluster which agent sends heartbeats over a connection. Identifies the connection there. */
export class ConnectedAgent {
  readonly #cluster: () => ServedCluster | undefined;
  #agentId: string | undefined;

  constructor(cluster: () => ServedCluster | undefined) {
    this.#cluster = cluster;
  }

  /** `undefined` before the first heartbeat. */
  get agentId(): string | undefined {
    return this.#agentId;
  }

  /** Called with the arguments of each heartbeat that succeeded. */
  connected([heartbeat]: readonly unknown[]): void {
    this.#agentId = (heartbeat as AgentDescription).agentId;
    this.#cluster()?.agentConnected?.(this.#agentId, this);
  }

  disconnected(isBroken: boolean): void {
    if (this.#agentId !== undefined) this.#cluster()?.agentDisconnected?.(this.#agentId, this, isBroken);
  }
}
