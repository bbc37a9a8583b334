import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '../kafka/lifetime.ts';
import type { ScaleCluster } from './cluster.ts';
import type { AgentCounts, AgentLoad, AgentsOrder, AgentsToSimulate } from './synthetic-agents-process.ts';

export const noLoad: AgentLoad = {
  filesPerSecond: 0,
  committers: 0,
  pointersPerFile: 0,
  batchesPerPointer: 1,
  followers: 0,
  agents: 0,
};

const processFile = fileURLToPath(new URL('./synthetic-agents-process.ts', import.meta.url));

/** Agents that only talk to the control plane, all in one process. */
export class SyntheticAgents {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(lifetime: Lifetime, cluster: ScaleCluster): Promise<SyntheticAgents> {
    const { url, clusterId, agentKey } = cluster;
    const order: AgentsToSimulate = { url, clusterId, agentKey };
    const child = spawn(process.execPath, [processFile], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    lifetime.owns(child);
    const agents = new SyntheticAgents(child);
    // Not on the command line, which everyone on the machine can read.
    await agents.#ask(order);
    return agents;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Resolves when all connections are open and the load has begun; it goes on until the next call. */
  async begin(load: AgentLoad): Promise<void> {
    await this.#ask({ kind: 'load', load });
  }

  async counts(): Promise<AgentCounts> {
    return (await this.#ask({ kind: 'counts' })) as AgentCounts;
  }

  /** Forgets latencies, so that those of a warm-up do not count. */
  async forget(): Promise<void> {
    await this.#ask({ kind: 'forget' });
  }

  async #ask(order: AgentsOrder | AgentsToSimulate): Promise<unknown> {
    // Ends the other wait.
    const done = new AbortController();
    const options = { signal: done.signal };
    const answer = once(this.#child, 'message', options);
    const ended = once(this.#child, 'exit', options).then(([code, signal]) => {
      throw new Error(`the synthetic agents ended with ${signal ?? code}`);
    });
    this.#child.send(order);
    try {
      return ((await Promise.race([answer, ended])) as [unknown])[0];
    } finally {
      ended.catch(() => {});
      answer.catch(() => {});
      done.abort();
    }
  }
}
