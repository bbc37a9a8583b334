import { claimedNodeId } from '@weir/broker';
import type { AgentDescription, NamedAgent } from '@weir/cluster';
import { release } from '@weir/core';
import type { AgentOptions } from './agent-options.ts';
import { inUrl } from './start-and-stop.ts';

interface OwnDescriptionOptions
  extends Pick<
    AgentOptions,
    'agentId' | 'advertisedHost' | 'internalHost' | 'zone' | 'region' | 'group' | 'roles' | 'cpuCount'
  > {
  readonly jobs?: { readonly categories?: readonly string[] | undefined } | undefined;
}

/** The ports that are asked for; 0 is any. */
interface AskedPorts {
  readonly kafkaPort?: number;
  readonly registryPort?: number;
}

/** What an agent reports to its cluster about itself. Components set what is known only when they run. */
export class OwnDescription {
  kafkaPort: number | undefined;
  registryPort: number | undefined;
  /** Where other agents connect. */
  internal = { port: 0, isEncrypted: false };
  cpuLoad = () => 0;
  /** Sends a heartbeat now. */
  beatNow = () => {};
  readonly #options: OwnDescriptionOptions;
  readonly #known = Promise.withResolvers<void>();
  #nodeId: number;

  constructor(options: OwnDescriptionOptions, { kafkaPort, registryPort }: AskedPorts) {
    this.#options = options;
    this.kafkaPort = kafkaPort;
    this.registryPort = registryPort;
    this.#nodeId = claimedNodeId(options.agentId);
  }

  /** Where clients connect, or other agents if it has no clients. Agents of one host differ by it. */
  get clientPort(): number {
    return this.kafkaPort ?? this.registryPort ?? this.internal.port;
  }

  /** Resolves when the cluster knows the agent. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** Called with the answer to each heartbeat. */
  named(agents: readonly NamedAgent[]): void {
    const { agentId } = this.#options;
    this.#nodeId = agents.find((agent) => agent.agentId === agentId)?.nodeId ?? this.#nodeId;
    this.#known.resolve();
  }

  now(): AgentDescription {
    const { agentId, advertisedHost, internalHost, zone, region, group, roles, jobs, cpuCount } =
      this.#options;
    const internalAddress = `${inUrl(internalHost ?? advertisedHost)}:${this.internal.port}`;
    return {
      agentId,
      nodeId: this.#nodeId,
      host: advertisedHost,
      kafkaPort: this.clientPort,
      ...(this.registryPort === undefined ? {} : { registryPort: this.registryPort }),
      internalUrl: `http${this.internal.isEncrypted ? 's' : ''}://${internalAddress}`,
      zone,
      ...(region === undefined ? {} : { region }),
      group,
      roles,
      ...(jobs?.categories === undefined ? {} : { jobCategories: jobs.categories }),
      release,
      cpuCount,
      cpuLoad: this.cpuLoad(),
    };
  }
}
