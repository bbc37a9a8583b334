import type { FlagValues } from '../flags/catalogue.ts';
import { readLineProperties, readPrintProperties } from '../values/console-properties.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

export const consoleToolsRule: Rule = {
  statement:
    'console-consumer starts at the end, or where -from-beginning or -offset say. With -group it reads what the group ' +
    'assigns, from what the group has committed, so that it takes neither -partition nor a number as -offset.',
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
    return forbidden(['from-beginning', 'offset'], 'only one of them is allowed').problem;
  if (group === undefined) return undefined;
  if (partition !== undefined)
    return forbidden(['group', 'partition'], 'the group assigns partitions; only one of them is allowed')
      .problem;
  return typeof offset === 'number'
    ? forbidden(['group', 'offset'], 'a group goes on from what it has committed; see weir cli reset-offsets')
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
