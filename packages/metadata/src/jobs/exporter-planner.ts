import { exporterScope, schemaExportKind, secretsDigest, writeExporterTask } from '@weir/cluster';
import { metadataLimits } from '../limits.ts';
import type { AskMachine } from './ask-machine.ts';
import { ExporterIndex, type RunningExporter } from './exporter-index.ts';
import { type ExporterSecrets, noExporterSecrets } from './exporter-secrets.ts';
import type { JobPlanner } from './job-planner.ts';

/** Plans a job for every exporter of the registry that runs and has something to copy, or was just started. */
export function exporterPlanner(ask: AskMachine, secrets: ExporterSecrets = noExporterSecrets): JobPlanner {
  const index = new ExporterIndex(ask);
  /** The exporters that run, with the scopes of their jobs. */
  const runningExporters = async (): Promise<readonly (RunningExporter & { readonly scope: string })[]> => {
    await index.refresh();
    const running = [...index.running()];
    const names = new Set(running.flatMap(({ secretNames }) => secretNames));
    const revisions = names.size === 0 ? new Map<string, string>() : await secrets.revisions([...names]);
    return running.map((exporter) => ({
      ...exporter,
      scope: exporterScope({
        ...exporter,
        secretsDigest: secretsDigest(exporter.secretNames, (name) => revisions.get(name)),
      }),
    }));
  };
  return {
    kind: schemaExportKind,
    openMax: metadataLimits.openExportersMax,
    retry: { firstMs: 5_000, maxMs: 300_000 },
    async unwanted(scopes) {
      const wanted = new Set((await runningExporters()).map(({ scope }) => scope));
      return scopes.filter((scope) => !wanted.has(scope));
    },
    async plan({ isOpen, freeCount }) {
      const due = (await runningExporters())
        .filter(({ state, offset }) => state !== 'RUNNING' || offset < index.changedRevision)
        .filter(({ scope }) => !isOpen(scope))
        // Secrets are opened for jobs that are handed out, and for no others.
        .slice(0, freeCount);
      return Promise.all(
        due.map(async ({ name, generation, secretNames, sealedSettings, scope }) => {
          const values = secretNames.length === 0 ? undefined : await secrets.open(secretNames);
          const opened =
            sealedSettings.length === 0 ? undefined : await secrets.openSealed(name, sealedSettings);
          return { scope, task: writeExporterTask({ name, generation, secrets: values, opened }) };
        }),
      );
    },
  };
}
