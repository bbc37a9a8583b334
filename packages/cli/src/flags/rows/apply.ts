import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { path } from '../../values/text.ts';
import { available } from '../row.ts';
import { migrationTransitions } from './takers.ts';

/** Input and mode of `weir apply`. */
export const applyFlags = [
  available({
    name: 'file',
    aliases: ['-f'],
    type: list(path()),
    isRepeatable: true,
    commands: ['apply', 'cli run-pipeline'],
    help: 'The files with the desired state, or the one with the pipeline; - is standard input.',
    rule: 'Can be repeated by apply.',
  }),
  available({
    name: 'dryRun',
    aliases: ['-dry-run'],
    type: bool(),
    default: false,
    commands: [
      'apply',
      'control-plane restore',
      'cli reset-offsets',
      'cli migrate start',
      ...migrationTransitions,
    ],
    help: 'Print what would change, without changing it.',
    rule: 'A restore then needs no data directory, and sets no fence.',
  }),
  available({
    name: 'detailedExitCode',
    aliases: ['-detailed-exitcode'],
    type: bool(),
    default: false,
    commands: ['apply'],
    help: 'Exit a dry run with status 2 if there are changes.',
  }),
  available({
    name: 'prune',
    type: bool(),
    default: false,
    commands: ['apply'],
    help: 'Delete resources that are not in the files, of the kinds that the files list for a cluster.',
    rule: 'Clusters, topics with deletion protection and internal topics are never deleted. Deleted subjects stay readable by id.',
  }),
];
