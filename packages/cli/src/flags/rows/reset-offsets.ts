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
    help: 'Reset all partitions of which the group has committed an offset.',
  }),
  available({
    name: 'to-earliest',
    type: bool(),
    default: false,
    commands,
    help: 'Start at the first record that each partition still has.',
  }),
  available({
    name: 'to-latest',
    type: bool(),
    default: false,
    commands,
    help: 'Start at the end, so that only records from now on are read.',
  }),
  available({
    name: 'to-current',
    type: bool(),
    default: false,
    commands,
    help: 'Keep the committed offsets, and commit the end of partitions without one.',
  }),
  available({
    name: 'to-offset',
    type: int({ min: 0 }),
    commands,
    help: 'Start at this offset in each partition.',
    rule: 'An offset that a partition does not have becomes its nearest end.',
  }),
  available({
    name: 'to-datetime',
    type: dateTime(),
    commands,
    help: 'Start at the first record of this time or a later one, or at the end if there is none.',
    rule: 'A time without an offset is UTC.',
  }),
  available({
    name: 'by-duration',
    type: timeSpan(),
    commands,
    help: 'Start as far before now, as -to-datetime does.',
  }),
  available({
    name: 'shift-by',
    type: int(),
    commands,
    help: 'Move the committed offsets by so many records: forward, or back if it is below 0.',
    rule: 'They stay within what a partition has.',
  }),
  available({
    name: 'from-file',
    type: path(),
    commands,
    help: 'Take topics, partitions and offsets from a file; - is standard input.',
    rule: 'It is what -export or -output=json has printed: lines of topic,partition,offset, or JSON.',
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
    help: 'Changes the offsets; without it the tool shows what it would change.',
  }),
];
