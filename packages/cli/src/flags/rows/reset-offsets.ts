import { bool } from '../../values/bool.ts';
import { int } from '../../values/numbers.ts';
import { path } from '../../values/text.ts';
import { dateTime, timeSpan } from '../../values/times.ts';
import { available } from '../row.ts';

const commands = ['cli reset-offsets'] as const;

/** The flags of `reset-offsets`, spelled as those of Kafka's own tool. */
export const resetOffsetsFlags = [
  available({
    name: 'all-topics',
    type: bool(),
    default: false,
    commands,
    help: 'Reset all partitions with a committed offset of the group.',
  }),
  available({
    name: 'to-earliest',
    type: bool(),
    default: false,
    commands,
    help: 'Reset to the earliest offset of each partition.',
  }),
  available({
    name: 'to-latest',
    type: bool(),
    default: false,
    commands,
    help: 'Reset to the latest offset, so that only new records are read.',
  }),
  available({
    name: 'to-current',
    type: bool(),
    default: false,
    commands,
    help: 'Keep committed offsets, and commit the latest offset of partitions without one.',
  }),
  available({
    name: 'to-offset',
    type: int({ min: 0 }),
    commands,
    help: 'Reset to this offset in each partition.',
    rule: 'An offset out of range becomes the nearest valid offset.',
  }),
  available({
    name: 'to-datetime',
    type: dateTime(),
    commands,
    help: 'Reset to the first record at or after this time, or to the latest offset.',
    rule: 'A time without a time zone is UTC.',
  }),
  available({
    name: 'by-duration',
    type: timeSpan(),
    commands,
    help: 'Reset to this long before now, like -to-datetime.',
  }),
  available({
    name: 'shift-by',
    type: int(),
    commands,
    help: 'Shift committed offsets by this number; negative moves back.',
    rule: 'Limited to the offsets of a partition.',
  }),
  available({
    name: 'from-file',
    type: path(),
    commands,
    help: 'Read topics, partitions and offsets from a file; - is standard input.',
    rule: 'The output of -export or -output=json: lines of topic,partition,offset, or JSON.',
  }),
  available({
    name: 'export',
    type: bool(),
    default: false,
    commands,
    help: 'Print the new offsets as lines of topic,partition,offset for -from-file.',
  }),
  available({
    name: 'confirm-reset-offsets',
    type: bool(),
    default: false,
    aliases: ['-execute'],
    commands,
    help: 'Confirm and commit the new offsets; otherwise the tool prints a preview.',
  }),
];
