import { checkClusterConfigs, configCatalogues } from '@weir/cluster';
import type { SourceConfig } from '../source/source-configs.ts';
import type { ConfigOutcome, CopiedConfigs } from './copy-topic-configs.ts';

/** Configs of brokers; a source may send more, and those are left out. */
const configsMax = 1000;
const shownCharsMax = 200;

/** What topics inherit, and what clients notice. Everything else is about machines. */
const copiedGroups: ReadonlySet<string> = new Set([
  'compaction',
  'groups',
  'limits',
  'retention',
  'shareGroups',
  'timestamps',
  'topics',
]);

/** Decides which configs of the brokers of a source are set for this cluster. */
export function copyClusterConfigs(configs: readonly SourceConfig[]): CopiedConfigs {
  const copied: Record<string, string> = {};
  const outcomes = configs.slice(0, configsMax).map(({ name, value }): ConfigOutcome => {
    const shown = { name: name.slice(0, shownCharsMax), value: value.slice(0, shownCharsMax) };
    const leftOut = reasonToLeaveOut(name);
    if (leftOut !== undefined) return { ...shown, fate: 'left out', reason: leftOut };
    const {
      configs: checked,
      problems: [problem],
    } = checkClusterConfigs({ [name]: value });
    if (problem !== undefined) return { ...shown, fate: 'refused', reason: problem.rule };
    for (const [canonical, text] of Object.entries(checked))
      if (text !== null && !Object.hasOwn(copied, canonical)) copied[canonical] = text;
    return { ...shown, fate: 'copied', reason: undefined };
  });
  return { configs: copied, outcomes };
}

function reasonToLeaveOut(name: string): string | undefined {
  const { rows, aliases } = configCatalogues.cluster;
  const canonical = Object.hasOwn(aliases, name) ? aliases[name]!.of : name;
  if (!Object.hasOwn(rows, canonical)) return 'there is no such config here';
  const row = rows[canonical]!;
  if (row.readOnly) return 'it cannot be changed here';
  if (row.withoutEffect) return 'it has no effect here';
  return copiedGroups.has(row.group) && !canonical.startsWith('service.')
    ? undefined
    : 'it is about the brokers themselves';
}
