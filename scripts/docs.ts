/**
 * Writes the generated pages of docs.
 *
 *     node scripts/docs.ts           writes them
 *     node scripts/docs.ts --check   writes nothing and fails when a page on disk differs
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { costsPage } from '../packages/api/src/costs-page.ts';
import { apiPage } from '../packages/api/src/reference.ts';
import { bloblangPage } from '../packages/bloblang/src/reference-page.ts';
import { flagsPage } from '../packages/cli/src/reference/flags-page.ts';
import { metricsPage } from '../packages/cli/src/reference/metrics-page.ts';
import { configsPage } from '../packages/cluster/src/configs/reference-page.ts';
import { pipelinesPage } from '../packages/controlplane/src/pipelines/reference-page.ts';
import { migrationsPage } from '../packages/controlplane/src/release-feed/migrations-page.ts';
import { diagnosticsPage } from '../packages/diagnostics/src/reference-page.ts';
import { eventFiltersPage } from '../packages/events/src/filter/reference-page.ts';
import { eventsPage } from '../packages/events/src/reference-page.ts';
import { httpPage } from '../packages/gateway/src/http-api/reference-page.ts';
import { registryPage } from '../packages/gateway/src/schema-registry/reference-page.ts';
import { mcpPage } from '../packages/mcp/src/reference-page.ts';
import { pipelineComponentsPage } from '../packages/pipelines/src/reference-page.ts';
import { compatibilityPage } from '../tests/interop/compatibility/page.ts';
import { limitsPage } from './limits-page.ts';
import { dashboardFile } from './monitoring/dashboard.ts';
import { rulesFile } from './monitoring/rules-file.ts';
import { relatedAlerts, runbooksPage } from './monitoring/runbooks-page.ts';

/** Renderers of generated pages, by path. */
const pages: Readonly<Record<string, () => string>> = {
  'docs/reference/compatibility.md': compatibilityPage,
  'docs/operate/costs.md': costsPage,
  'docs/operate/runbooks.md': runbooksPage,
  'deploy/helm/weir/monitoring/alerts.yaml': rulesFile,
  'deploy/helm/weir/monitoring/dashboard.json': dashboardFile,
  'docs/reference/agent-http.md': httpPage,
  'docs/reference/diagnostics.md': () => diagnosticsPage(relatedAlerts),
  'docs/reference/api.md': apiPage,
  'docs/reference/bloblang.md': bloblangPage,
  'docs/reference/configs.md': configsPage,
  'docs/reference/event-filters.md': eventFiltersPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/flags.md': flagsPage,
  'docs/reference/limits.md': limitsPage,
  'docs/reference/mcp.md': mcpPage,
  'docs/reference/migrations.md': migrationsPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/pipeline-components.md': pipelineComponentsPage,
  'docs/reference/pipelines.md': pipelinesPage,
  'docs/reference/schema-registry.md': registryPage,
};

const root = join(import.meta.dirname, '..');

function readPage(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const isCheck = process.argv.includes('--check');
for (const [path, render] of Object.entries(pages)) {
  const text = render();
  if (readPage(path) === text) continue;
  if (isCheck) {
    process.stderr.write(`${path} is out of date; run npm run docs\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    process.stdout.write(`${path} written\n`);
  }
}
