import type { RegistrySettings } from '@weir/gateway';
import type { JobSettings } from '@weir/jobs';
import type { CommonContext } from './agent-context.ts';
import type { AgentOptions, RunningAgent } from './agent-options.ts';

/** What an agent needs that serves a schema registry and no records. */
export interface RegistryAgentOptions
  extends Pick<
    AgentOptions,
    | 'clusterId'
    | 'agentId'
    | 'group'
    | 'zone'
    | 'roles'
    | 'host'
    | 'httpPort'
    | 'advertisedHost'
    | 'internalHost'
    | 'tls'
    | 'servesMetrics'
    | 'cluster'
    | 'load'
    | 'locksShutdown'
    | 'sasl'
    | 'tenantAccess'
    | 'logsAclDenials'
    | 'hostname'
    | 'cpuCount'
    | 'stats'
    | 'tokens'
    | 'givenUp'
    | 'clock'
    | 'random'
    | 'log'
    | 'metrics'
  > {
  readonly registry: RegistrySettings;
  readonly jobs?: Pick<JobSettings, 'categories'> | undefined;
}

export interface RunningRegistryAgent extends Pick<RunningAgent, 'httpPort' | 'stop'> {
  readonly registryPort: number;
}

/** What components of such an agent have before others provide more. */
export interface RegistryAgentContext extends Omit<CommonContext<never>, 'options'> {
  readonly options: RegistryAgentOptions;
}
