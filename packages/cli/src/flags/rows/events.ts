import { coreLimits, eventTypeNames } from '@weir/core';
import { eventLimits } from '@weir/events/limits';
import { list } from '../../values/list.ts';
import { durationMs, int } from '../../values/numbers.ts';
import { oneOf, text } from '../../values/text.ts';
import { available } from '../row.ts';
import {
  credentialTools,
  eventSwitches,
  eventTools,
  migrationTools,
  recordTools,
  secretTools,
  tableTools,
} from './takers.ts';

/** What the event tools search for. */
export const eventFlags = [
  available({
    name: 'cluster',
    type: text('cluster id or name'),
    commands: [
      ...eventTools,
      ...eventSwitches,
      ...tableTools,
      ...migrationTools,
      'cli clone-cluster',
      'cli clone-topic',
      'cli storage-costs',
      'cli create-key',
      ...credentialTools,
      ...secretTools,
      ...recordTools,
      'cli who-may',
    ],
    help: 'The virtual cluster, by id or name.',
    rule: 'Not needed if the key has access to one cluster only. Tools that read a bucket take an id, or the only cluster of the bucket.',
  }),
  available({
    name: 'filter',
    type: text('filter'),
    commands: eventTools,
    help: 'The filter, such as data.operation == "WRITE".',
  }),
  available({
    name: 'types',
    type: list(oneOf(...eventTypeNames)),
    default: [],
    commands: [...eventTools, ...eventSwitches],
    help: 'Only events of these types.',
    rule: 'Empty: all types.',
  }),
  available({
    name: 'last',
    type: durationMs({ min: 1000, max: eventLimits.eventsWindowMsMax }),
    default: 3_600_000,
    commands: [...eventTools, 'cli storage-costs'],
    help: 'The time range to search, up to now.',
    rule: 'At most a day for storage-costs.',
  }),
  available({
    name: 'sort',
    type: oneOf('asc', 'desc'),
    default: 'desc',
    commands: ['cli events search'],
    help: 'Whether to print the oldest or the newest events first.',
  }),
  available({
    name: 'limit',
    type: int({ min: 1, max: coreLimits.eventRowsMax }),
    default: 20,
    commands: ['cli events search'],
    help: 'The maximum number of events to print.',
  }),
];
