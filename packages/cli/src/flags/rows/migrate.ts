import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { durationMs } from '../../values/numbers.ts';
import { text } from '../../values/text.ts';
import { available } from '../row.ts';
import { migrationTransitions } from './takers.ts';

/** What the tools for migrations read. */
export const migrateFlags = [
  available({
    name: 'topics',
    type: list(text('topic')),
    default: [],
    commands: migrationTransitions,
    isRepeatable: true,
    help: 'The topics by their names here, all or none.',
    rule: 'Default: all that can. hand-over needs them.',
  }),
  available({
    name: 'migrationName',
    type: text('name'),
    default: 'migration',
    commands: ['cli migrate start'],
    help: 'The name of the pipeline, if it is created.',
  }),
  available({
    name: 'ignorePreflight',
    type: bool(),
    default: false,
    commands: ['cli migrate start'],
    help: 'Start although the preflight found what stands in the way.',
  }),
  available({
    name: 'watch',
    type: bool(),
    default: false,
    commands: ['cli migrate status', 'cli migrate cut-over'],
    help: 'Ask again every two seconds, until it has ended.',
  }),
  available({
    name: 'cutOverTimeout',
    type: durationMs({ min: 0, max: 86_400_000 }),
    default: 0,
    commands: ['cli migrate cut-over'],
    help: 'When agents forward to the source again if the cut-over has not succeeded.',
    rule: '0 takes the time of the mapping, or else 10m; other times are not less than 10s. Producers wait only while a topic is blocked, at the end of it.',
  }),
  available({
    name: 'rollBack',
    type: bool(),
    default: false,
    commands: ['cli migrate abort'],
    help: 'End forwarding too, so that topics are read-only again.',
  }),
  available({
    name: 'confirmHandOver',
    type: bool(),
    default: false,
    commands: ['cli migrate hand-over'],
    help: 'Confirm that later records of the source are never copied.',
  }),
  available({
    name: 'abortTransactions',
    type: bool(),
    default: false,
    commands: ['cli migrate hand-over'],
    help: 'Abort transactions that are open in the copies.',
  }),
];
