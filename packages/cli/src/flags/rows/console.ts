import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { int } from '../../values/numbers.ts';
import { property, propertySeparator } from '../../values/property.ts';
import { oneOf } from '../../values/text.ts';
import { available } from '../row.ts';

const consumer = ['cli console-consumer'] as const;

/** The flags of the console tools, spelled as those of Kafka's own. */
export const consoleFlags = [
  available({
    name: 'property',
    type: list(property(), { separator: propertySeparator, trim: false }),
    default: [],
    aliases: ['-reader-property', '-formatter-property'],
    isRepeatable: true,
    commands: ['cli console-producer', 'cli console-consumer'],
    help: "How to read lines or print records, as in Kafka's console tools.",
    rule:
      'console-producer has parse.key, key.separator, ignore.error, parse.headers, headers.delimiter, headers.separator, ' +
      'headers.key.separator and null.marker; console-consumer has print.timestamp, print.partition, print.offset, ' +
      'print.headers, print.key, print.value, key.separator, line.separator, headers.separator and null.literal.',
  }),
  available({
    name: 'from-beginning',
    type: bool(),
    default: false,
    commands: consumer,
    help: 'Start at the first record of partitions without committed offset.',
  }),
  available({
    name: 'max-messages',
    type: int({ min: 1 }),
    commands: consumer,
    help: 'The maximum number of records to print.',
    rule: 'Default: run until stopped.',
  }),
  available({
    name: 'timeout-ms',
    type: int({ min: 1, max: 2_147_483_647 }),
    commands: consumer,
    help: 'Exit if no record arrives for this many milliseconds.',
  }),
  available({
    name: 'isolation-level',
    type: oneOf('read_uncommitted', 'read_committed'),
    default: 'read_uncommitted',
    commands: consumer,
    help: 'Whether to print records of open and aborted transactions.',
  }),
];
