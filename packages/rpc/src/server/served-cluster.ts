import type { ClusterPort } from '@weir/cluster';

/** A cluster in a process that may lead it or not. */
export interface ServedCluster extends ClusterPort {
  /** The port for one request: a repeated request returns the first answer, on any process. */
  forRequest?(requestId: string): ClusterPort;
  /** Calls the listener when the leader changes, or there is none. Returns a function that removes it. */
  onLeader?(listener: () => void): () => void;
  /** Calls the listener when a standby sees that the leader renewed its lease. Returns a function that removes it. */
  onLeaderRenewed?(listener: () => void): () => void;
  /** Notes the connection of an agent; called after each of its heartbeats. */
  agentConnected?(agentId: string, connection: object): void;
  /** Notes the end of that connection, unless process is shutting down. `isBroken`: neither side closed it. */
  agentDisconnected?(agentId: string, connection: object, isBroken: boolean): void;
  /**
   * The reason why followers get nothing here, and the address of the leader if known; `undefined` if this process
   * leads.
   */
  notLeader?(): Redirection | undefined;
}

export interface Redirection {
  readonly message: string;
  readonly leaderUrl: string | undefined;
}
