import type { ClusterPort } from '@weir/cluster';
import { type Clock, type Log, type Metrics, type Random, release } from '@weir/core';
import type { Access } from '../security/access.ts';
import type { GuardedRequest } from '../security/acl/denial-log.ts';
import type { PrincipalOf } from '../security/principals.ts';
import type { LoginChecks } from '../security/sasl/login-checks.ts';
import type { AgentTls } from '../security/tls/agent-tls.ts';
import type { RegistryChanges } from './registry-changes.ts';
import { RegistryLogins } from './registry-logins.ts';
import { RegistryMetrics } from './registry-metrics.ts';
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
  readonly tls: AgentTls | undefined;
  readonly clusterId: string;
  readonly cluster: ClusterPort;
  readonly changes: RegistryChanges;
  readonly checks: LoginChecks;
  readonly principalOf: PrincipalOf;
  readonly accessOf: (request: GuardedRequest) => Access;
  readonly onPasswordLogin?: (user: string) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Serves the schema registry of a cluster. The registry itself, with its formats, is loaded with the first request, so
 * that agents start quickly and those without clients of the registry pay nothing.
 */
export async function startAgentRegistry(parts: AgentRegistryParts): Promise<RegistryServer> {
  const { settings, host, tls, clock, log } = parts;
  const metrics = new RegistryMetrics(parts.metrics);
  const logins = new RegistryLogins({ ...parts, isRequired: settings.requiresLogin, metrics });
  let end = async () => {};
  const server = await startRegistryServer({
    host,
    port: settings.port,
    async loadAnswer() {
      const { openRegistry, registryRequests } = await import('./open-registry.ts');
      const registry = openRegistry({ ...parts, port: parts.cluster, release, metrics });
      end = () => registry.close();
      return registryRequests({
        service: registry.service,
        logins,
        accessOf: parts.accessOf,
        logsRequests: settings.logsRequests,
        isEncrypted: tls?.registry !== undefined,
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
      await end();
    },
  };
}
