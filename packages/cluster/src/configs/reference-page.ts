import { configGroups, escapePipes } from '@weir/core';
import type { ConfigResourceKind } from '../calls/admin-calls.ts';
import { configCatalogues } from './config-catalogues.ts';
import { type ConfigRow, documentationOf } from './config-row.ts';

/** Returns the reference page of configs as Markdown. */
export function configsPage(): string {
  return `${[introduction, ...sections.map(sectionOf)].join('\n\n')}\n`;
}

const introduction = `# Configs

<!-- Written by scripts/docs.ts from packages/cluster/src/configs. Change the definitions there, not this page. -->

Configs are set and described as in Apache Kafka 4.3, with \`kafka-configs\`, an admin client, \`weir cli\` or \`weir
apply\`. An unknown config is refused with INVALID_CONFIG, and a read-only one with
INVALID_REQUEST. Kafka configs marked *no effect* are accepted, stored and described. The configs of
security and listeners of Kafka brokers are not described and cannot be set: use the [flags](flags.md) of an
agent.

An inherited config takes the first value that is set: of the broker, of the cluster, of the agent flags,
then the default.`;

const sections: readonly (readonly [kind: ConfigResourceKind, title: string, text: string])[] = [
  ['topic', 'Topics', 'Set when a topic is created, or later.'],
  [
    'cluster',
    'Brokers',
    'Set for all brokers, with an empty broker name. With the node id of a broker, only configs marked *per broker* or *no effect* can be set.',
  ],
  ['group', 'Groups', 'Set per consumer group or share group.'],
  ['clientMetrics', 'Client metrics', 'Set per client metrics subscription.'],
];

function sectionOf([kind, title, text]: (typeof sections)[number]): string {
  const { rows, aliases } = configCatalogues[kind];
  const lines = Object.entries(rows).map(([name, row]) => {
    const notes = [
      ...(row.synonym === undefined || row.synonym === name ? [] : [`inherits \`${row.synonym}\``]),
      ...(row.synonym === name ? ['inherits the broker config'] : []),
      ...(row.readOnly ? ['read-only'] : []),
      ...(row.perBroker ? ['per broker'] : []),
      ...(row.withoutEffect ? ['no effect'] : []),
      ...Object.keys(row.refusedValues ?? {}).map((value) => `\`${value}\` is refused`),
    ];
    return `| \`${name}\` | ${configGroups[row.group]} | ${row.type.kafkaType.toLowerCase()} | ${shownDefault(row)} | ${notes.join(', ')} | ${escapePipes(documentationOf(row))} |`;
  });
  const others = Object.entries(aliases).map(([name, { of }]) => `\`${name}\` sets \`${of}\``);
  const also = others.length === 0 ? '' : `\n\nOther names: ${others.join('; ')}.`;
  return `## ${title}\n\n${text}\n\n| config | group | type | default | | |\n|---|---|---|---|---|---|\n${lines.join('\n')}${also}`;
}

function shownDefault({ default: text }: ConfigRow): string {
  if (text === undefined) return '';
  return text === '' ? 'empty' : `\`${text}\``;
}
