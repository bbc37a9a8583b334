import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentLimits } from '../packages/agent/src/limits.ts';
import { apiLimits } from '../packages/api/src/limits.ts';
import { bloblangLimits } from '../packages/bloblang/src/limits.ts';
import { brokerLimits } from '../packages/broker/src/limits.ts';
import { cliLimits } from '../packages/cli/src/limits.ts';
import { clientLimits } from '../packages/client/src/limits.ts';
import { clusterLimits } from '../packages/cluster/src/limits.ts';
import { controlPlaneLimits } from '../packages/controlplane/src/limits.ts';
import { formatBytes } from '../packages/core/src/bytes.ts';
import { formatDurationMs } from '../packages/core/src/durations.ts';
import { coreLimits } from '../packages/core/src/limits.ts';
import { diagnosticLimits } from '../packages/diagnostics/src/limits.ts';
import { eventLimits } from '../packages/events/src/limits.ts';
import { gatewayLimits } from '../packages/gateway/src/limits.ts';
import { groupLimits } from '../packages/groups/src/limits.ts';
import { httpLimits } from '../packages/http/src/limits.ts';
import { icebergLimits } from '../packages/iceberg/src/limits.ts';
import { jobLimits } from '../packages/jobs/src/limits.ts';
import { journalLimits } from '../packages/journal/src/limits.ts';
import { machineLimits } from '../packages/machine/src/limits.ts';
import { mcpLimits } from '../packages/mcp/src/limits.ts';
import { metadataLimits } from '../packages/metadata/src/limits.ts';
import { migrationLimits } from '../packages/migration/src/limits.ts';
import { oidcLimits } from '../packages/oidc/src/limits.ts';
import { pipelineLimits } from '../packages/pipelines/src/limits.ts';
import { registryLimits } from '../packages/registry/src/limits.ts';
import { rpcLimits } from '../packages/rpc/src/limits.ts';
import { securityLimits } from '../packages/security/src/limits.ts';
import { storageLimits } from '../packages/storage/src/limits.ts';
import { tableLimits } from '../packages/tables/src/limits.ts';
import { wireLimits } from '../packages/wire/src/limits.ts';

/** Limits by package folder. */
export const limitsByPackage: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  core: coreLimits,
  wire: wireLimits,
  storage: storageLimits,
  cluster: clusterLimits,
  machine: machineLimits,
  groups: groupLimits,
  journal: journalLimits,
  rpc: rpcLimits,
  metadata: metadataLimits,
  oidc: oidcLimits,
  events: eventLimits,
  registry: registryLimits,
  bloblang: bloblangLimits,
  pipelines: pipelineLimits,
  iceberg: icebergLimits,
  migration: migrationLimits,
  tables: tableLimits,
  http: httpLimits,
  security: securityLimits,
  broker: brokerLimits,
  client: clientLimits,
  gateway: gatewayLimits,
  jobs: jobLimits,
  agent: agentLimits,
  api: apiLimits,
  mcp: mcpLimits,
  diagnostics: diagnosticLimits,
  controlplane: controlPlaneLimits,
  cli: cliLimits,
};

/** Limits documented by one comment. */
interface DocumentedLimits {
  readonly text: string;
  readonly names: readonly string[];
}

/** Parses the comments of a limits.ts: one for the whole object, then one for each run of limits. */
export function documentedLimits(source: string): {
  readonly summary: string;
  readonly groups: DocumentedLimits[];
} {
  const [head = '', body = ''] = source.split(/^export const \w+ = \{$/m);
  const summary = commentText(/\/\*\*[\s\S]*?\*\//.exec(head)?.[0] ?? '');
  const groups = [...body.matchAll(/(?:(\/\*\*[\s\S]*?\*\/)\s*)?((?:^ {2}\w+: .*,\n)+)/gm)].map(
    ([, comment = '', rows]) => ({
      text: commentText(comment),
      names: [...rows!.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!),
    }),
  );
  return { summary, groups };
}

function commentText(comment: string): string {
  return comment
    .replaceAll(/^\s*\/\*\*|\*\/$/g, '')
    .replaceAll(/^\s*\* ?/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Renders the reference page of limits as Markdown. */
export function limitsPage(): string {
  const sections = Object.entries(limitsByPackage).map(([name, limits]) => {
    const path = `packages/${name}/src/limits.ts`;
    const { summary, groups } = documentedLimits(readFileSync(join(import.meta.dirname, '..', path), 'utf8'));
    const rows = groups.flatMap(({ text, names }) =>
      names.map(
        (limit, at) =>
          `| \`${limit}\` | ${printValue(limit, limits[limit]!)} | ${at === 0 ? text.replaceAll('|', '\\|') : '″'} |`,
      ),
    );
    return [
      `## ${name}\n\n${summary}\n\n[\`${path}\`](../../${path})\n`,
      '| limit | value | meaning |\n|---|---|---|',
      ...rows,
    ].join('\n');
  });
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

const introduction = `# Limits

<!-- Written by scripts/docs.ts from packages/*/src/limits.ts. Change the limits there, not this page. -->

Limits on what a peer can make grow, by the package that owns them. They cannot be changed; limits that operators may
change are [flags](flags.md) and [configs](configs.md), and these are their upper bounds. A limit that is documented
together with the one above it has the mark ″.`;

function printValue(name: string, value: number): string {
  if (/Bytes/.test(name)) return formatBytes(value);
  if (/Ms(?:[A-Z]|$)/.test(name)) return formatDurationMs(value);
  return value.toLocaleString('en-US');
}
