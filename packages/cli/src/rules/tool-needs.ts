import type { CommandName } from '../commands/catalogue.ts';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { forbidden, missing, type Rule } from './rule.ts';

type KcmdType = NonNullable<FlagValues['type']>;

/** The required flags of each `kcmd` request. */
const neededByType: Readonly<Record<KcmdType, readonly FlagName[]>> = {
  'diagnose-connection': [],
  'create-topic': ['topic'],
  produce: ['topic', 'records'],
  fetch: ['topic'],
};

/** The required flags of each tool. */
const neededByTool = {
  'cli create-topic': ['topic'],
  'cli describe-topic': ['topic'],
  'cli delete-topic': ['topic'],
  'cli produce': ['topic'],
  'cli fetch': ['topic'],
  'cli console-producer': ['topic'],
  'cli console-consumer': ['topic'],
  'cli describe-topic-configs': ['topic'],
  'cli alter-topic-configs': ['topic', 'config'],
  'cli delete-topic-config': ['topic', 'config-name'],
  'cli alter-broker-configs': ['config'],
  'cli delete-broker-config': ['config-name'],
  'cli consumer-group-lag': ['group'],
  'cli reset-offsets': ['group'],
  'cli clone-cluster': ['cloneName'],
  'cli clone-topic': ['from', 'to'],
  'cli tables describe': ['table'],
  'cli tables files': ['table'],
  'cli tables failures': ['table'],
  'cli tables replay': ['table'],
  'cli tables query': ['sql'],
  'cli migrate start': ['config-file'],
  'cli migrate hand-over': ['topics'],
  'cli migrate recopy': ['topic'],
  'cli create-key': ['keyName'],
  'cli rotate-credential': ['credential'],
  'cli end-rotation': ['credential'],
  'secret create': ['secretName'],
  'secret rotate': ['secretName'],
  'secret delete': ['secretName'],
  'cli diagnose-record': ['topic', 'partition'],
  'cli register-schema': ['subject', 'schema-file'],
  'cli check-schema': ['subject', 'schema-file'],
  'cli delete-schema': ['subject'],
  'cli file-reader': ['bucketURL', 'log-file'],
  'cli file-scrubber': ['bucketURL'],
  'cli validate-pipeline-config': ['config-file'],
  'cli plan-capacity': ['write-rate'],
  'cli run-pipeline': ['file'],
  'cli drill': ['topic'],
  'cli benchmark-producer': ['topic'],
  'cli benchmark-consumer': ['topic'],
  'cli delete-all-topics-unsafe': ['confirm-delete-all-topics'],
} as const satisfies Partial<Record<CommandName, readonly FlagName[]>>;

/** The flags that a tool always needs. */
export function requiredFlags(command: CommandName): readonly FlagName[] {
  return command in neededByTool ? neededByTool[command as keyof typeof neededByTool] : [];
}

function neededBy(values: FlagValues, command: CommandName): readonly FlagName[] {
  if (command !== 'kcmd') return neededByTool[command as keyof typeof neededByTool];
  return values.type === undefined ? ['type'] : neededByType[values.type];
}

/** An empty list and a confirmation that is false count as absent. */
function isAbsent(value: FlagValues[FlagName]): boolean {
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0);
}

export const toolNeedsRule: Rule = {
  statement:
    'The tools that work on one topic need -topic, those that set configs -config, those that reset one -config-name, and ' +
    'consumer-group-lag and reset-offsets -group, clone-cluster -cloneName, clone-topic -from and -to, tables describe, files, failures and replay -table, tables query -sql, migrate start -config-file, migrate hand-over -topics, migrate recopy -topic, create-key -keyName, rotate-credential and end-rotation -credential, secret create, rotate and delete -secretName, register-schema and check-schema -subject and -schema-file, delete-schema -subject, file-reader -log-file, diagnose-record -partition too; file-reader and file-scrubber need -bucketURL, validate-pipeline-config -config-file, run-pipeline -file, plan-capacity -write-rate, delete-all-topics-unsafe needs -confirm-delete-all-topics. kcmd needs -type; its types ' +
    'create-topic, produce and fetch need -topic, and produce needs -records. benchmark-consumer takes no number as ' +
    '-offset.',
  flags: [
    'type',
    'topic',
    'topics',
    'records',
    'config',
    'config-name',
    'partition',
    'group',
    'cloneName',
    'from',
    'to',
    'keyName',
    'credential',
    'secretName',
    'subject',
    'schema-file',
    'log-file',
    'bucketURL',
    'config-file',
    'write-rate',
    'offset',
    'confirm-delete-all-topics',
  ],
  commands: ['kcmd', ...(Object.keys(neededByTool) as (keyof typeof neededByTool)[])],
  check(values, command) {
    if (command === 'cli benchmark-consumer' && typeof values.offset === 'number') {
      return forbidden(['offset'], 'a benchmark reads all partitions; use earliest or latest').problem;
    }
    const absent = neededBy(values, command).find((name) => isAbsent(values[name]));
    if (absent === undefined) return undefined;
    const isOfType = command === 'kcmd' && absent !== 'type';
    return missing([absent], isOfType ? `is required with -type=${values.type}` : 'is required').problem;
  },
};
