import { catalogue, consolePaths, type OutputOf } from '@weir/api';
import type { ToolContext } from '../tools/tool-context.ts';
import { defineWriteTool, type Plan } from './write-tool.ts';

const { diagnostic_id, until, reason } = catalogue.mute_diagnostic.input.shape;

export const diagnosticWriteTools = [
  defineWriteTool({
    name: 'mute_diagnostic',
    icon: 'diagnostics',
    changes: 'mute_diagnostic',
    reads: ['get_diagnostic'],
    isDestructive: false,
    input: { diagnostic_id, until, reason },
    plan: ({ diagnostic_id: id, until: end }, context, clusterId) =>
      planOf({ title: `Mute the diagnostic ${id}`, id, after: mutedUntil(end ?? null) }, context, clusterId),
    apply: ({ virtual_cluster_id: _, ...mute }, context, virtual_cluster_id) =>
      context.call('mute_diagnostic', { virtual_cluster_id, ...mute }),
  }),
  defineWriteTool({
    name: 'unmute_diagnostic',
    icon: 'diagnostics',
    changes: 'unmute_diagnostic',
    reads: ['get_diagnostic'],
    isDestructive: false,
    input: { diagnostic_id },
    plan: ({ diagnostic_id: id }, context, clusterId) =>
      planOf({ title: `Unmute the diagnostic ${id}`, id, after: null }, context, clusterId),
    apply: ({ diagnostic_id: id }, context, virtual_cluster_id) =>
      context.call('unmute_diagnostic', { virtual_cluster_id, diagnostic_id: id }),
  }),
];

interface Muting {
  readonly title: string;
  readonly id: string;
  /** `null` if it is not muted. */
  readonly after: string | null;
}

async function planOf(
  { title, id, after }: Muting,
  context: ToolContext,
  virtual_cluster_id: string,
): Promise<Plan> {
  const { diagnostic } = await context.call('get_diagnostic', { virtual_cluster_id, diagnostic_id: id });
  const before = mutingOf(diagnostic);
  return {
    title,
    changes: before === after ? [] : [{ name: 'muted', before, after }],
    consolePath: consolePaths.diagnostic(virtual_cluster_id, id),
  };
}

function mutingOf({ muted, muted_until: end }: OutputOf<'get_diagnostic'>['diagnostic']): string | null {
  return muted ? mutedUntil(end) : null;
}

function mutedUntil(end: string | null): string {
  return end === null ? 'until it is unmuted' : `until ${end}`;
}
