import { exporterScope, schemaExportKind, writeExporterTask } from '@weir/cluster';
import { metadataLimits } from '../limits.ts';
import type { AskMachine } from './ask-machine.ts';
import { ExporterIndex } from './exporter-index.ts';
import type { JobPlanner } from './job-planner.ts';

/** Plans a job for every exporter of the registry that runs and has something to copy, or was just started. */
export function exporterPlanner(ask: AskMachine): JobPlanner {
  const index = new ExporterIndex(ask);
  return {
    kind: schemaExportKind,
    openMax: metadataLimits.openExportersMax,
    retry: { firstMs: 5_000, maxMs: 300_000 },
    async unwanted(scopes) {
      await index.refresh();
      const wanted = new Set(index.running().map(exporterScope));
      return scopes.filter((scope) => !wanted.has(scope));
    },
    async plan({ isOpen }) {
      await index.refresh();
      return [...index.running()]
        .filter(({ state, offset }) => state !== 'RUNNING' || offset < index.changedRevision)
        .filter((exporter) => !isOpen(exporterScope(exporter)))
        .map(({ name, generation }) => ({
          scope: exporterScope({ name, generation }),
          task: writeExporterTask({ name, generation }),
        }));
    },
  };
}
