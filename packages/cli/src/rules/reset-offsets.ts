import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { readTopicPartitions } from '../values/topic-partitions.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

const targets = [
  'to-earliest',
  'to-latest',
  'to-current',
  'to-offset',
  'to-datetime',
  'by-duration',
  'shift-by',
  'from-file',
] as const satisfies readonly FlagName[];

const targetsInWords = `-${targets.slice(0, -1).join(', -')} or -${targets.at(-1)}`;

export const resetOffsetsRule: Rule = {
  statement:
    `reset-offsets needs exactly one of ${targetsInWords}, and -topic or -all-topics unless a file lists the ` +
    'partitions. Without -confirm-reset-offsets it prints a preview.',
  flags: [...targets, 'topic', 'all-topics', 'export', 'output', 'dryRun', 'confirm-reset-offsets'],
  commands: ['cli reset-offsets'],
  check: (values) => wrongPlace(values) ?? wrongTarget(values) ?? wrongMode(values),
};

function isGiven(value: FlagValues[FlagName]): boolean {
  return value !== undefined && value !== false;
}

function wrongTarget(values: FlagValues): Violation | undefined {
  const [first, second] = targets.filter((name) => isGiven(values[name]));
  if (first === undefined) {
    const rule = `is required, or another target: ${targetsInWords}`;
    return missing(['to-offset'], rule).problem;
  }
  return second === undefined ? undefined : forbidden([first, second], 'set one target').problem;
}

function wrongPlace(values: FlagValues): Violation | undefined {
  const topics = values.topic === undefined ? undefined : readTopicPartitions(values.topic);
  if (topics !== undefined && 'problem' in topics) return forbidden(['topic'], topics.problem).problem;
  const places = [
    ...(topics === undefined ? [] : ['topic' as const]),
    ...(values['all-topics'] ? ['all-topics' as const] : []),
    ...(values['from-file'] === undefined ? [] : ['from-file' as const]),
  ];
  if (places.length > 1) return forbidden(places.slice(0, 2), 'set one of them').problem;
  return places.length === 1 ? undefined : missing(['topic'], 'is required, or -all-topics').problem;
}

function wrongMode(values: FlagValues): Violation | undefined {
  if (values.dryRun && values['confirm-reset-offsets'])
    return forbidden(['dryRun', 'confirm-reset-offsets'], 'set one of them').problem;
  if (values.export && values.output === 'json')
    return forbidden(['export', 'output'], '-from-file reads both; set one of them').problem;
  return undefined;
}
