import type { ClusterPort } from '@weir/cluster';
import type { Clock, Log, Metrics, Random } from '@weir/core';
import { ownNamesOf } from '@weir/http';
import type { RegistryChangeStream } from '@weir/registry';
import type {
  Access,
  AgentTls,
  GuardedRequest,
  LoginChecks,
  PasswordLogin,
  PrincipalOf,
} from '@weir/security';
import { HttpLogins } from '@weir/security';
import { OwnRegistry } from './own-registry.ts';
import { type RegistryServer, startRegistryServer } from './registry-server.ts';

/** How an agent serves the schema registry of its cluster. */
export interface RegistrySettings {
  /** 0 takes any free port. */
  readonly port: number;
  /** Whether clients must authenticate. */
  readonly requiresLogin: boolean;
  /** Whether every request is logged. */
  readonly logsRequests: boolean;
}

interface AgentRegistryParts {
  readonly settings: RegistrySettings;
  readonly host: string;
  readonly advertisedHost: string;
  readonly hostname?: string | undefined;
  readonly tls: AgentTls | undefined;
  readonly clusterId: string;
  readonly cluster: ClusterPort;
  readonly changes: RegistryChangeStream;
  /** The registry that is served, if the caller uses and closes it as well. */
  readonly own?: OwnRegistry | undefined;
  readonly checks: LoginChecks;
  readonly principalOf: PrincipalOf;
  readonly accessOf: (request: GuardedRequest) => Access;
  readonly onPasswordLogin?: (login: PasswordLogin) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Serves the schema registry of a cluster, which is loaded with the first request. */
export async function startAgentRegistry(parts: AgentRegistryParts): Promise<RegistryServer> {
  const { settings, host, tls, clock, log } = parts;
  const registry = parts.own ?? new OwnRegistry(parts);
  const { metrics } = registry;
  const logins = new HttpLogins({
    ...parts,
    service: 'schema registry',
    isRequired: settings.requiresLogin,
    onOutcome: (method, outcome) => metrics.authenticated(method, outcome),
  });
  const server = await startRegistryServer({
    host,
    port: settings.port,
    async loadAnswer() {
      const { registryRequests } = await import('./open-registry.ts');
      const { service } = await registry.open();
      return registryRequests({
        service,
        logins,
        accessOf: parts.accessOf,
        logsRequests: settings.logsRequests,
        isEncrypted: tls?.registry !== undefined,
        ownNames: ownNamesOf(parts),
        clock,
        log,
        metrics,
      });
    },
    ...(tls?.registry === undefined ? {} : { tls: { ...tls.registry, certificates: tls.certificates } }),
    clock,
    log,
    metrics,
  });
  return {
    port: server.port,
    async stop(options) {
      await server.stop(options);
      if (parts.own === undefined) await registry.close();
    },
  };
}
