import { coreLimits, eventTypeNames } from '@weir/core';
import { eventLimits } from '@weir/events/limits';
import { list } from '../../values/list.ts';
import { durationMs, int } from '../../values/numbers.ts';
import { oneOf, text } from '../../values/text.ts';
import { available } from '../row.ts';
import { eventSwitches, eventTools, recordTools, secretTools } from './takers.ts';

/** What the event tools search for. */
export const eventFlags = [
  available({
    name: 'cluster',
    type: text('cluster id or name'),
    commands: [
      ...eventTools,
      ...eventSwitches,
      'cli clone-cluster',
      'cli clone-topic',
      'cli storage-costs',
      'cli create-key',
      ...secretTools,
      ...recordTools,
      'cli who-may',
    ],
    help: 'The virtual cluster that is meant, by id or by name.',
    rule: 'It may be left out when the key sees one cluster only. A tool that asks no API takes an id, or the only cluster of the bucket.',
  }),
  available({
    name: 'filter',
    type: text('filter'),
    commands: eventTools,
    help: 'What has to be true of an event, such as data.operation == "WRITE".',
  }),
  available({
    name: 'types',
    type: list(oneOf(...eventTypeNames)),
    default: [],
    commands: [...eventTools, ...eventSwitches],
    help: 'Only events of these types.',
    rule: 'An empty list means all of them.',
  }),
  available({
    name: 'last',
    type: durationMs({ min: 1000, max: eventLimits.eventsWindowMsMax }),
    default: 3_600_000,
    commands: [...eventTools, 'cli storage-costs'],
    help: 'How far back to look.',
    rule: 'Costs are measured over a day at most.',
  }),
  available({
    name: 'sort',
    type: oneOf('asc', 'desc'),
    default: 'desc',
    commands: ['cli events search'],
    help: 'Whether the oldest events come first or the newest.',
  }),
  available({
    name: 'limit',
    type: int({ min: 1, max: coreLimits.eventRowsMax }),
    default: 20,
    commands: ['cli events search'],
    help: 'How many events are printed at most.',
  }),
];
