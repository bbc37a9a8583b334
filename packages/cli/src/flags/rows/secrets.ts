import { bool } from '../../values/bool.ts';
import { path, text } from '../../values/text.ts';
import { available } from '../row.ts';

/** Named secrets of a cluster. There is no flag for a value: other users of the machine see the flags of a command. */
export const secretFlags = [
  available({
    name: 'secretName',
    type: text('name'),
    commands: ['secret create', 'secret rotate', 'secret delete'],
    help: 'The name of the secret, to which configurations refer.',
  }),
  available({
    name: 'secretFile',
    type: path(),
    default: '-',
    commands: ['secret create', 'secret rotate'],
    help: 'The file that holds the value.',
    rule: 'A hyphen is standard input. A line break at the end is not part of the value.',
  }),
  available({
    name: 'allowExporters',
    type: bool(),
    default: false,
    commands: ['secret create'],
    help: 'Let exporters of the schema registry name the secret.',
    rule: 'Who may alter the registry can then send it to a destination of their choice.',
  }),
];
