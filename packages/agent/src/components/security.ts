import { type ClusterView, clusterNameIn } from '@weir/broker';
import { clusterFacts } from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import {
  type Access,
  createAccessOf,
  createLoginChecks,
  type GuardedRequest,
  type LoginChecks,
  type PasswordLogin,
  PipelineLogins,
  type PrincipalOf,
  principalsOf,
} from '@weir/security';
import type { CommonContext } from '../agent-context.ts';
import type { AgentOptions } from '../agent-options.ts';
import { started } from '../component.ts';
import type { AgentEvents } from '../events/agent-events.ts';

interface Needs
  extends CommonContext<
    | 'agentId'
    | 'clusterId'
    | 'hostname'
    | 'advertisedHost'
    | 'sasl'
    | 'tls'
    | 'cpuCount'
    | 'logsAclDenials'
    | 'clock'
    | 'log'
    | 'metrics'
  > {
  readonly view: ClusterView;
  /** If absent, denials are logged, and are no events. */
  readonly events?: AgentEvents;
}

/** How callers of HTTP log in, and what they may do. */
export interface Callers {
  readonly checks: LoginChecks;
  readonly principalOf: PrincipalOf;
  readonly accessOf: (request: GuardedRequest) => Access;
  readonly isEncrypted: boolean;
  readonly onPasswordLogin: (login: PasswordLogin) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Logins, principals, and their access. */
export const security = {
  name: 'security',
  async start({ options, self, stats, view, events }: Needs) {
    const { clock, log, metrics, tls } = options;
    const accessOf = createAccessOf({
      cluster: view,
      agent: {
        ...emittingAgent(options),
        clusterName: clusterNameIn(view.records(clusterFacts.name.namespace)),
        listenerAddress: () => `:${self.clientPort}`,
      },
      logsDenials: options.logsAclDenials ?? true,
      ...(events && { denialLog: events.plainLog, events: events.emitter }),
      clock,
      log,
      metrics,
    });
    const pipelineLogins = new PipelineLogins({
      agentSecrets: view.records('agentSecret'),
      isAgent: (agentId) =>
        agentId === options.agentId || view.agents().some((agent) => agent.agentId === agentId),
    });
    const principalOf = principalsOf(view.records('credential'), pipelineLogins);
    // Last, since it is what has to be closed.
    const checks = await createLoginChecks({
      ...options,
      oauth: options.sasl?.oauth,
      agentSecrets: view.records('agentSecret'),
      scramCredentials: view.records('scramCredential'),
      delegationTokens: view.records('delegationToken'),
      pipelineLogins,
    });
    const callers: Callers = {
      checks,
      principalOf,
      accessOf,
      isEncrypted: tls?.http === true,
      onPasswordLogin: stats.loggedIn,
      clock,
      log,
      metrics,
    };
    return started({ callers, pipelineLogins }, () => checks.close());
  },
};

export function emittingAgent({
  agentId,
  hostname,
  advertisedHost,
  clusterId,
}: Pick<AgentOptions, 'agentId' | 'hostname' | 'advertisedHost' | 'clusterId'>) {
  return { agentId, hostname: hostname ?? advertisedHost, clusterId };
}
