import { table } from '../results/table.ts';
import { roundedBytes, roundedSeconds } from './amounts.ts';
import type { Described, MigratedTopic } from './own-migration.ts';

/** The topics of a migration, and a line about the whole. */
export function statusText(migration: Described): string {
  const { pipeline_name, pipeline_state, totals, topics_by_state, errors, topics } = migration;
  const counts = Object.entries(topics_by_state)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  return [
    `${pipeline_name} is ${pipeline_state}: ${counts.join(', ') || 'no topics yet'}\n`,
    `${amountOf(totals)}\n`,
    ...errors.map((error) => `! ${error}\n`),
    '\n',
    topicsTable(topics),
  ].join('');
}

function topicsTable(topics: readonly MigratedTopic[]): string {
  return table(
    ['TOPIC', 'STATE', 'PARTITIONS', 'COPIED', 'LAG', 'RATE', 'ETA', 'HELD BACK BY'],
    topics.map((topic) => [
      topic.topic,
      stateText(topic),
      String(topic.partition_count),
      roundedBytes(topic.bytes),
      lagText(topic),
      rateText(topic.bytes_per_second),
      etaText(topic),
      topic.state === 'migrated' ? '' : topic.holds.map(({ code }) => code).join(', ') || 'nothing',
    ]),
  );
}

/** One topic with its partitions and all that holds it back. */
export function topicText({ topics, partitions = [] }: Described): string {
  const [topic] = topics;
  if (topic === undefined) return '';
  const rows: [string, string][] = [
    ['topic', topic.topic],
    ['source', topic.source_topic],
    ['state', stateText(topic)],
    [
      'since',
      `${topic.changed_at ?? '-'}${topic.changed_by === undefined ? '' : `, by ${topic.changed_by}`}`,
    ],
    ['deadline', topic.deadline ?? '-'],
    ['copied', amountOf(topic)],
    ['forwarded', `${topic.forwarded_records} records`],
    ['error', topic.error ?? '-'],
  ];
  const held = topic.holds.map(({ code, message }) => `  ${code}: ${message}\n`).join('');
  return [
    rows.map(([name, value]) => `${name.padEnd(11)}${value}\n`).join(''),
    held === '' ? '' : `\nThe cut-over is held back by:\n${held}`,
    '\n',
    table(
      ['PARTITION', 'START', 'END', 'SOURCE END', 'LAG', 'ERROR'],
      partitions.map(({ partition, first_offset, next_offset, source_next_offset, lag_offsets, error }) => [
        String(partition),
        String(first_offset),
        String(next_offset),
        String(source_next_offset ?? '-'),
        String(lag_offsets ?? '-'),
        error ?? '',
      ]),
    ),
  ].join('');
}

export function stateText({ state, cut_over_requested }: MigratedTopic): string {
  return cut_over_requested && state === 'proxy' ? 'proxy, cutting over' : state;
}

type Amounts = Described['totals'] | MigratedTopic;

function amountOf(amounts: Amounts): string {
  const { bytes, copied_offsets, source_offsets, bytes_per_second } = amounts;
  const share =
    source_offsets === undefined || source_offsets === 0
      ? ''
      : `, ${Math.min(100, Math.floor((copied_offsets / source_offsets) * 100))} %`;
  return `${roundedBytes(bytes)}${share}, lag ${lagText(amounts)}, ${rateText(bytes_per_second)}, ETA ${etaText(amounts)}`;
}

function lagText({ lag_offsets }: Amounts): string {
  return lag_offsets === undefined ? 'unknown' : String(lag_offsets);
}

function rateText(bytesPerSecond: number): string {
  return `${roundedBytes(bytesPerSecond)}/s`;
}

function etaText({ eta_seconds, lag_offsets }: Amounts): string {
  if (eta_seconds !== undefined) return roundedSeconds(eta_seconds);
  return lag_offsets === 0 ? 'caught up' : 'unknown';
}
