import { type LinkingTask, readLinkingTask, schemaLinkingKind } from '@weir/cluster';
import {
  HostRefused,
  type TenantAccess,
  type TenantVariables,
  VariableRefused,
} from '@weir/cluster/outbound';
import { type Clock, type Log, type Metrics, type Random, SecretMissing, withSecrets } from '@weir/core';
import type { LinkDestination, LinkSource, RegistryClientOptions } from '@weir/registry';
import { type JobKind, NeedsOperator } from '../job-kind.ts';
import { linkingRows } from './linking-metrics.ts';

interface SchemaLinkingOptions {
  /** The registry of the cluster. */
  readonly destination: () => Promise<LinkDestination>;
  /** The sources that pipelines may name, and the variables where the credentials of sources are. */
  readonly tenantAccess: TenantAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Tests have sources of their own. */
  readonly openSource?: ((options: RegistryClientOptions) => LinkSource & { close(): void }) | undefined;
}

/**
 * Runs one sync of a pipeline of schema linking. What was copied is not copied again, so that a sync that was
 * interrupted, or runs on two agents, does no harm.
 */
export function schemaLinking(options: SchemaLinkingOptions): JobKind {
  const { clock, random, log, metrics, tenantAccess } = options;
  return {
    kind: schemaLinkingKind,
    category: 'schema-linking',
    async run(bytes, { signal, progress }) {
      // Loaded on demand: most agents never link.
      const {
        LinkedContexts,
        LinkingFailed,
        RegistryClient,
        RegistryRefusal,
        RegistryUnavailable,
        syncRegistry,
      } = await import('@weir/registry');
      const task = readLinkingTask(bytes);
      const clientOptions = {
        ...sourceOptions(task, tenantAccess.variables),
        allowedHosts: tenantAccess.hosts,
        clock,
        random,
      };
      const source = options.openSource?.(clientOptions) ?? new RegistryClient(clientOptions);
      const labels = { sync_id: task.pipelineId, config_id: task.configurationId };
      let copied = 0;
      try {
        const counts = await syncRegistry({
          source,
          destination: await options.destination(),
          contexts: new LinkedContexts({ ...task, sourceName: `${task.hostname}:${task.port}` }),
          signal,
          onProgress: ({ sourceVersions, newVersions }) => {
            metrics.series(linkingRows.newVersions, labels).add(newVersions - copied);
            copied = newVersions;
            progress(newVersions, sourceVersions);
          },
        });
        metrics.series(linkingRows.sourceVersions, labels).set(counts.sourceVersions);
        progress(counts.sourceVersions, counts.sourceVersions);
        return `${counts.sourceVersions} versions of ${counts.subjects} subjects; ${counts.newVersions} new, ${counts.deletedVersions} deleted`;
      } catch (error) {
        // Errors are one line for users already, and those of the source repeat nothing that it sent.
        if (error instanceof LinkingFailed) {
          if (error.detail !== undefined)
            log.warn('failed to link schemas', { pipelineId: task.pipelineId, error: error.detail });
          throw new NeedsOperator(error.message);
        }
        if (error instanceof HostRefused) throw new NeedsOperator(error.message);
        if (error instanceof RegistryRefusal && !error.isTemporary) throw new NeedsOperator(error.message);
        if (error instanceof RegistryUnavailable || error instanceof RegistryRefusal)
          throw new Error(`source registry unavailable: ${error.message}`);
        throw error;
      } finally {
        source.close();
      }
    },
  };
}

function sourceOptions(task: LinkingTask, variables: TenantVariables): RegistryClientOptions {
  const { hostname, port, usesTls, isInsecure } = task;
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  const urls = `${usesTls ? 'https' : 'http'}://${host}:${port}`;
  const username = credentialOf(task.username, task.usernameEnv, task, variables);
  const password = credentialOf(task.password, task.passwordEnv, task, variables);
  if (username === undefined && password === undefined) return { urls, tls: { isInsecure } };
  return {
    urls,
    tls: { isInsecure },
    credentials: { kind: 'basic', username: username ?? '', password: password ?? '' },
  };
}

/** A text with its secrets, or the value of a variable. */
function credentialOf(
  text: string | undefined,
  variable: string | undefined,
  { secrets = {} }: LinkingTask,
  variables: TenantVariables,
): string | undefined {
  try {
    if (text !== undefined) return withSecrets(text, secrets);
    return variable === undefined ? undefined : variables.valueOf(variable);
  } catch (error) {
    if (error instanceof VariableRefused || error instanceof SecretMissing)
      throw new NeedsOperator(error.message);
    throw error;
  }
}
