import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { path, text } from '../../values/text.ts';
import { available } from '../row.ts';
import { apiTools, recordTools } from './takers.ts';

/** Input and mode of `weir apply`. */
export const applyFlags = [
  available({
    name: 'file',
    aliases: ['-f'],
    type: list(path()),
    isRepeatable: true,
    commands: ['apply'],
    help: 'The files that say what there is to be; - is standard input.',
    rule: 'It may be given several times.',
  }),
  available({
    name: 'apiKey',
    type: text('key'),
    secret: true,
    commands: ['apply', ...apiTools, ...recordTools, 'cli who-may'],
    help: 'The key to call the API with, of an application or of the account.',
    rule: 'Other users of the machine can see the flags of a command; the variable is hidden from them.',
  }),
  available({
    name: 'dryRun',
    aliases: ['-dry-run'],
    type: bool(),
    default: false,
    commands: ['apply', 'cli reset-offsets'],
    help: 'Print what would be done, and do nothing.',
  }),
  available({
    name: 'detailedExitCode',
    aliases: ['-detailed-exitcode'],
    type: bool(),
    default: false,
    commands: ['apply'],
    help: 'End a dry run with status 2 when there is something to do.',
  }),
  available({
    name: 'prune',
    type: bool(),
    default: false,
    commands: ['apply'],
    help: 'Delete what the files leave out, of the kinds that they mention of a cluster.',
    rule: 'Clusters are never deleted, nor are topics that have deletion protection or belong to the service; subjects can still be read by id.',
  }),
];
