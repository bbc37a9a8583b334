import type { CommandName } from '../commands/catalogue.ts';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { missing, type Rule } from './rule.ts';

type KcmdType = NonNullable<FlagValues['type']>;

/** What each request of `kcmd` cannot do without. */
const neededByType: Readonly<Record<KcmdType, readonly FlagName[]>> = {
  'diagnose-connection': [],
  'create-topic': ['topic'],
  produce: ['topic', 'records'],
  fetch: ['topic'],
};

/** The tools that work on one topic. */
const topicTools = [
  'cli create-topic',
  'cli describe-topic',
  'cli delete-topic',
  'cli produce',
  'cli fetch',
] as const satisfies readonly CommandName[];

function neededBy(values: FlagValues, command: CommandName): readonly FlagName[] {
  if (command !== 'kcmd') return ['topic'];
  return values.type === undefined ? ['type'] : neededByType[values.type];
}

export const toolNeedsRule: Rule = {
  statement:
    'The tools that work on one topic need -topic. kcmd needs -type; its types create-topic, produce and fetch need ' +
    '-topic, and produce needs -records.',
  flags: ['type', 'topic', 'records'],
  commands: ['kcmd', ...topicTools],
  check(values, command) {
    const absent = neededBy(values, command).find((name) => values[name] === undefined);
    if (absent === undefined) return undefined;
    const whoNeedsIt = absent === 'type' || command !== 'kcmd' ? command : `${command} -type=${values.type}`;
    return missing([absent], `weir ${whoNeedsIt} needs it`).problem;
  },
};
