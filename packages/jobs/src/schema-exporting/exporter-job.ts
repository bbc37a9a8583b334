import { readExporterTask, schemaExportKind } from '@weir/cluster';
import { HostRefused, type TenantAccess } from '@weir/cluster/outbound';
import { type Clock, type Metrics, type Random, SecretMissing, withOpened, withSecrets } from '@weir/core';
import type {
  ExportCounts,
  ExportDestination,
  ExportSource,
  RegistryClientOptions,
  RegistryService,
} from '@weir/registry';
import { type JobContext, type JobKind, NeedsOperator } from '../job-kind.ts';
import { exporterRows } from './exporter-metrics.ts';

/** The registry of the cluster, from which schemas are copied. */
interface ExportedRegistry extends ExportSource {
  readonly exporters: Pick<RegistryService['exporters'], 'run' | 'report'>;
}

interface SchemaExportOptions {
  readonly source: () => Promise<ExportedRegistry>;
  /** The destinations that exporters may name. */
  readonly tenantAccess: Pick<TenantAccess, 'hosts'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** Jobs that run at a time on this agent; any number if absent. */
  readonly runningMax?: number | undefined;
  /** Tests have destinations of their own. */
  readonly openDestination?:
    | ((options: RegistryClientOptions) => ExportDestination & { close(): void })
    | undefined;
}

/**
 * Runs an exporter until it has copied everything. Subjects are compared before they are written, so that a job that
 * was interrupted, or runs on two agents, does no harm.
 */
export function schemaExport(options: SchemaExportOptions): JobKind {
  const { clock, random, metrics, runningMax, tenantAccess } = options;
  let runningCount = 0;
  return {
    kind: schemaExportKind,
    category: 'schema-linking',
    ...(runningMax === undefined ? {} : { mayStart: () => runningCount < runningMax }),
    async run(bytes, context) {
      runningCount++;
      try {
        return await runExporter(bytes, context);
      } finally {
        runningCount--;
      }
    },
  };

  async function runExporter(bytes: Uint8Array, { signal, progress }: JobContext): Promise<string> {
    // Loaded on demand: most agents never export.
    const { destinationOptions, ExportedSubjects, exportChanges, RegistryClient } = await import(
      '@weir/registry'
    );
    const { name, generation, secrets = {}, opened = {} } = readExporterTask(bytes);
    const source = await options.source();
    // The task may be newer than what this agent has read.
    await source.state();
    const found = source.exporters.run(name, generation);
    if (found === undefined) return stoppedMessage;
    const labels = { exporter: name };
    const { definition } = found;
    let counted: ExportCounts = { subjects: 0, newVersions: 0, deletedVersions: 0 };
    const onProgress = (counts: ExportCounts) => {
      metrics.series(exporterRows.newVersions, labels).add(counts.newVersions - counted.newVersions);
      metrics
        .series(exporterRows.deletedVersions, labels)
        .add(counts.deletedVersions - counted.deletedVersions);
      counted = counts;
      if (source.exporters.run(name, generation) === undefined) throw new ExporterStopped(stoppedMessage);
      progress(counts.subjects);
    };
    const report = async (status: Parameters<ExportedRegistry['exporters']['report']>[2]) => {
      const mayGoOn = await source.exporters.report(name, generation, status);
      if (!mayGoOn) throw new ExporterStopped(stoppedMessage);
      if (status.offset !== undefined) metrics.series(exporterRows.offset, labels).set(status.offset);
    };
    const open = options.openDestination ?? ((chosen) => new RegistryClient(chosen));
    let close = () => {};
    try {
      const destination = open({
        ...destinationOptions(configWithSecrets(definition.config, secrets, opened)),
        allowedHosts: tenantAccess.hosts,
        clock,
        random,
      });
      close = () => destination.close();
      const counts = await exportChanges({
        source,
        destination,
        subjects: new ExportedSubjects(definition),
        offset: found.offset,
        signal,
        onOffset: (offset) => report({ state: 'RUNNING', offset }),
        onProgress,
      });
      await report({ state: 'RUNNING' });
      return `${counts.subjects} subjects; ${counts.newVersions} new versions, ${counts.deletedVersions} deleted`;
    } catch (error) {
      if (error instanceof ExporterStopped) return error.message;
      if (signal.aborted) throw error;
      metrics.series(exporterRows.failures, labels).add(1);
      const failure = await failureOf(error);
      await source.exporters
        .report(name, generation, { state: 'ERROR', trace: failure.message })
        .catch(() => undefined);
      throw failure;
    } finally {
      close();
    }
  }
}

function configWithSecrets(
  config: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
  opened: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([setting, text]) => [
      setting,
      withOpened(withSecrets(text, secrets), opened),
    ]),
  );
}

const stoppedMessage = 'exporter was paused, changed or deleted';

/** A user did something else with the exporter. */
class ExporterStopped extends Error {}

/** Errors of the destination are one line for users already, and repeat nothing that it sent. */
async function failureOf(error: unknown): Promise<Error> {
  const { InvalidDestination, LinkingFailed, RegistryRefusal } = await import('@weir/registry');
  const finals = [LinkingFailed, InvalidDestination, HostRefused, SecretMissing];
  const isFinal = finals.some((kind) => error instanceof kind);
  if (isFinal) return new NeedsOperator((error as Error).message);
  if (error instanceof RegistryRefusal && !error.isTemporary) return new NeedsOperator(error.message);
  return error instanceof Error ? error : new Error(String(error));
}
