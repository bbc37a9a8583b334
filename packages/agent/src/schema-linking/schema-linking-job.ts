import { type LinkingTask, readLinkingTask, schemaLinkingKind } from '@weir/cluster';
import type { Clock, Metrics, Random } from '@weir/core';
import type { LinkDestination, LinkSource, RegistryClientOptions } from '@weir/registry';
import { type JobKind, NeedsOperator } from '../jobs/job-kind.ts';
import { linkingRows } from './linking-metrics.ts';

interface SchemaLinkingOptions {
  /** The registry of the cluster. */
  readonly destination: () => Promise<LinkDestination>;
  /** The environment of the agent, where the credentials of sources are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** Tests have sources of their own. */
  readonly openSource?: ((options: RegistryClientOptions) => LinkSource & { close(): void }) | undefined;
}

/**
 * Runs one sync of a pipeline of schema linking. What was copied is not copied again, so that a sync that was
 * interrupted, or runs on two agents, does no harm.
 */
export function schemaLinking(options: SchemaLinkingOptions): JobKind {
  const { clock, random, metrics } = options;
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
      const clientOptions = { ...sourceOptions(task, options.environment), clock, random };
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
        // Errors of the source and of the destination are one line for users already.
        if (error instanceof LinkingFailed) throw new NeedsOperator(error.message);
        if (error instanceof RegistryRefusal && !error.isTemporary) throw new NeedsOperator(error.message);
        if (error instanceof RegistryUnavailable || error instanceof RegistryRefusal)
          throw new Error(`the source does not answer: ${error.message}`);
        throw error;
      } finally {
        source.close();
      }
    },
  };
}

function sourceOptions(
  { hostname, port, usesTls, isInsecure, usernameEnv, passwordEnv }: LinkingTask,
  environment: SchemaLinkingOptions['environment'],
): RegistryClientOptions {
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  const urls = `${usesTls ? 'https' : 'http'}://${host}:${port}`;
  if (usernameEnv === undefined && passwordEnv === undefined) return { urls, tls: { isInsecure } };
  const username = variableOf(usernameEnv, environment);
  const password = variableOf(passwordEnv, environment);
  return { urls, tls: { isInsecure }, credentials: { kind: 'basic', username, password } };
}

function variableOf(name: string | undefined, environment: SchemaLinkingOptions['environment']): string {
  if (name === undefined) return '';
  const value = environment[name];
  if (value === undefined)
    throw new NeedsOperator(
      `the environment variable ${name} of the agents is not set; it has credentials of the source`,
    );
  return value;
}
