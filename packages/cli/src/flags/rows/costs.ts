import { priceListNames } from '@weir/api/storage-costs';
import { list } from '../../values/list.ts';
import { bytes, bytesPerSecond, durationMs, int } from '../../values/numbers.ts';
import { oneOf, text } from '../../values/text.ts';
import { available } from '../row.ts';

const costTools = ['cli storage-costs', 'cli plan-capacity'] as const;

/** Prices for the costs of a cluster, and loads to plan one for. */
export const costFlags = [
  available({
    name: 'priceList',
    type: oneOf(...priceListNames),
    default: 's3',
    commands: costTools,
    help: 'The price list to use, approximate; see docs/operate/costs.md.',
  }),
  available({
    name: 'prices',
    type: list(text('name=dollars')),
    default: [],
    commands: costTools,
    help: 'Prices that override the list, such as storage=0.021,put=0.0045.',
    rule: 'docs/operate/costs.md lists the names.',
  }),
  available({
    name: 'write-rate',
    type: bytesPerSecond({ max: 1e12 }),
    commands: ['cli plan-capacity'],
    help: 'What producers write per second, after their compression.',
  }),
  available({
    name: 'record-batch-size',
    type: bytes({ min: 100, max: 1e8 }),
    default: 32_000,
    commands: ['cli plan-capacity'],
    help: 'The size of the batches of producers, for one partition.',
    rule: 'The metrics of a producer have it: batch-size-avg.',
  }),
  available({
    name: 'written-partitions',
    type: int({ min: 1, max: 10_000_000 }),
    default: 100,
    commands: ['cli plan-capacity'],
    help: 'The number of partitions that are written.',
  }),
  available({
    name: 'retention',
    type: durationMs({ min: 60_000, max: 100 * 365 * 86_400_000 }),
    default: 7 * 86_400_000,
    commands: ['cli plan-capacity'],
    help: 'How long records are kept.',
  }),
  available({
    name: 'consumer-groups',
    type: int({ min: 0, max: 10_000 }),
    default: 1,
    commands: ['cli plan-capacity'],
    help: 'The number of consumer groups that read all records.',
  }),
  available({
    name: 'zones',
    type: int({ min: 1, max: 10 }),
    default: 3,
    commands: ['cli plan-capacity'],
    help: 'The number of zones with agents.',
  }),
  available({
    name: 'file-window',
    type: durationMs({ min: 25, max: 60_000 }),
    default: 250,
    commands: ['cli plan-capacity'],
    help: 'The -batchTimeout of the agents.',
  }),
];
