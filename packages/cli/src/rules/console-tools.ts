import type { FlagValues } from '../flags/catalogue.ts';
import { readLineProperties, readPrintProperties } from '../values/console-properties.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

export const consoleToolsRule: Rule = {
  statement:
    'console-consumer starts at the latest offset, or as -from-beginning or -offset say. With -group it reads the assigned ' +
    'partitions from their committed offsets; -partition and a number as -offset are then not allowed.',
  flags: ['property', 'from-beginning', 'offset', 'partition', 'group'],
  commands: ['cli console-producer', 'cli console-consumer'],
  check(values, command) {
    if (command === 'cli console-consumer')
      return wrongStart(values) ?? wrongProperty(readPrintProperties, values);
    return wrongProperty(readLineProperties, values);
  },
};

function wrongStart(values: FlagValues): Violation | undefined {
  const { group, partition, offset, 'from-beginning': isFromBeginning } = values;
  if (isFromBeginning && offset !== 'latest' && offset !== 'earliest')
    return forbidden(['from-beginning', 'offset'], 'set one of them').problem;
  if (group === undefined) return undefined;
  if (partition !== undefined)
    return forbidden(['group', 'partition'], 'the group assigns partitions; set one of them').problem;
  return typeof offset === 'number'
    ? forbidden(['group', 'offset'], 'a group starts at its committed offsets; see weir cli reset-offsets')
        .problem
    : undefined;
}

function wrongProperty(
  read: typeof readLineProperties | typeof readPrintProperties,
  { property }: FlagValues,
): Violation | undefined {
  const found = read(property);
  return 'problem' in found ? forbidden(['property'], found.problem).problem : undefined;
}
