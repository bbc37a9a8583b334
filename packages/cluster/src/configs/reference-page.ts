import { escapePipes } from '@weir/core';
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
apply\`. A name that is not on this page is refused with INVALID_CONFIG; what can be read and not set is refused with
INVALID_REQUEST. Names of Kafka that mean nothing here are accepted, kept and shown, and say so. The configs of
security and listeners of Kafka's brokers are not described and cannot be set: the [flags](flags.md) of an agent
decide them.

An inherited config has the value of the broker, then that of the cluster, then that of the flags of the agent, then
the default.`;

const sections: readonly (readonly [kind: ConfigResourceKind, title: string, text: string])[] = [
  ['topic', 'Topics', 'Set when a topic is made, or later.'],
  [
    'cluster',
    'Brokers',
    'Without the name of a broker they are set for all of them. With the node id of one, those are set that are without effect or marked *per broker*; others have to be the same for all brokers.',
  ],
  ['group', 'Groups', 'Of consumer groups and share groups, by their names.'],
  ['clientMetrics', 'Client metrics', 'Of a subscription to the metrics that clients push.'],
];

function sectionOf([kind, title, text]: (typeof sections)[number]): string {
  const { rows, aliases } = configCatalogues[kind];
  const lines = Object.entries(rows).map(([name, row]) => {
    const notes = [
      ...(row.synonym === undefined || row.synonym === name ? [] : [`inherits \`${row.synonym}\``]),
      ...(row.synonym === name ? ['inherits that of the broker'] : []),
      ...(row.readOnly ? ['read-only'] : []),
      ...(row.perBroker ? ['per broker'] : []),
      ...(row.withoutEffect ? ['no effect'] : []),
      ...Object.keys(row.refusedValues ?? {}).map((value) => `\`${value}\` is refused`),
    ];
    return `| \`${name}\` | ${row.type.kafkaType.toLowerCase()} | ${shownDefault(row)} | ${notes.join(', ')} | ${escapePipes(documentationOf(row))} |`;
  });
  const others = Object.entries(aliases).map(([name, { of }]) => `\`${name}\` sets \`${of}\``);
  const also = others.length === 0 ? '' : `\n\nOther names: ${others.join('; ')}.`;
  return `## ${title}\n\n${text}\n\n| config | type | default | | |\n|---|---|---|---|---|\n${lines.join('\n')}${also}`;
}

function shownDefault({ default: text }: ConfigRow): string {
  if (text === undefined) return '';
  return text === '' ? 'empty' : `\`${text}\``;
}
