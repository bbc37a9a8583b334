import { type CallName, type ClusterPort, callOn, clusterCalls, isCallName } from '@weir/cluster';
import { type MetricRow, release, type Series, shortName } from '@weir/core';
import { callEntriesMax } from '../call-entries.ts';
import type { FailureBody } from '../frames/bodies.ts';
import { failureOf } from './answers.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import type { LeaderWait } from './leader-wait.ts';
import type { Outcome } from './reply-memory.ts';
import type { ServeOptions } from './serve-options.ts';
import type { ServedCluster } from './served-cluster.ts';

export const forbiddenRow: MetricRow<never> = {
  name: 'agent_rpc_forbidden_calls_total',
  kind: 'counter',
  help: 'Calls with an agent key that only the control plane may make; not 0 means the key is misused.',
  labels: [],
};

/** Executes the calls of one connection: rights, arguments, then the cluster, again after a change of leader. */
export class CallExecutor {
  readonly #options: ServeOptions;
  readonly #agent: ConnectedAgent;
  readonly #leaders: LeaderWait;
  readonly #forbidden: Series;
  /** Methods of refused calls that were logged. */
  readonly #forbiddenMethods = new Set<CallName>();

  constructor(options: ServeOptions, agent: ConnectedAgent, leaders: LeaderWait) {
    this.#options = options;
    this.#agent = agent;
    this.#leaders = leaders;
    this.#forbidden = options.metrics.series(forbiddenRow, {});
  }

  async execute(
    clientId: string,
    callId: number,
    method: string,
    args: readonly unknown[],
  ): Promise<Outcome> {
    const options = this.#options;
    if (!isCallName(method)) {
      const message = `${shortName(method)}: unknown call for control plane ${release}`;
      return { failure: { kind: 'invalid', message } };
    }
    if (clusterCalls[method].membersOnly && options.isMember !== true) {
      return { failure: this.#forbid(method) };
    }
    const problem = entriesProblem(method, args) ?? clusterCalls[method].args(args, method);
    if (problem !== undefined) return { failure: { kind: 'invalid', message: problem } };
    const deadlineMs = this.#leaders.deadlineMs();
    for (;;) {
      const cluster = options.cluster();
      if (cluster === undefined) {
        return {
          failure: { kind: 'notLeader', message: `cluster ${options.clusterId} is not available here now` },
        };
      }
      try {
        return { value: await callOn(portFor(cluster, method, clientId, callId), method, args) };
      } catch (error) {
        const failure = failureOf(error, method, options);
        if (failure.kind !== 'notLeader') return { failure };
        if (!(await this.#leaders.hasLeaderChanged(cluster, failure.leaderUrl, deadlineMs))) {
          return { failure };
        }
      }
    }
  }

  #forbid(method: CallName): FailureBody {
    const { onForbiddenCall, log, clusterId } = this.#options;
    const { agentId } = this.#agent;
    this.#forbidden.add(1);
    onForbiddenCall?.(method, agentId);
    // Once per method and connection, so that the key cannot be used to fill the log.
    if (!this.#forbiddenMethods.has(method)) {
      this.#forbiddenMethods.add(method);
      log.warn('refused call that agents may not make', { clusterId, agentId, method });
    }
    return { kind: 'invalid', message: `${method}: not allowed with an agent key; use the API` };
  }
}

function entriesProblem(method: CallName, [entries]: readonly unknown[]): string | undefined {
  const entriesMax = callEntriesMax(method);
  if (!clusterCalls[method].splits || !Array.isArray(entries) || entries.length <= entriesMax)
    return undefined;
  return `${method}: ${entries.length} entries exceed the limit of ${entriesMax} per call`;
}

/** The port for a call whose arguments are valid. */
function portFor(cluster: ServedCluster, method: CallName, clientId: string, callId: number): ClusterPort {
  const isOnce = clusterCalls[method].onRetry === 'dedupe-durable' && cluster.forRequest !== undefined;
  return isOnce ? cluster.forRequest!(`${clientId}:${callId}`) : cluster;
}
