import type { OutputOf } from '@weir/api/client';
import { shellWord } from '../../../format/shell-word.ts';
import { type NamedObject, objectOf } from './message-parts.ts';

type Diagnostic = Pick<OutputOf<'get_diagnostic'>['diagnostic'], 'name' | 'groups'>;

/** A page where something can be done about an object. */
export type StepPage = 'group' | 'topicConfigs' | 'topicSchema' | 'credentials' | 'acls' | 'agents';

export type Step =
  | { readonly text: string; readonly command: string }
  | { readonly text: string; readonly page: StepPage; readonly name: string }
  /** Sets the level of a subject, or of the whole registry without one. */
  | { readonly text: string; readonly compatibilityOf: string | undefined };

/** A week, as configs have it. */
const weekMs = 604_800_000;
/** Steps for more objects than this are not listed one by one. */
const objectsMax = 3;

type StepsOfObject = (object: NamedObject) => readonly Step[];

const lagCommand = (name: string): Step => ({
  text: 'See the lag of each partition',
  command: `weir cli consumer-group-lag -group ${shellWord(name)}`,
});
const toGroup = (text: string, name: string): Step => ({ text, page: 'group', name });
const setting = (text: string, command: string): readonly Step[] => [{ text, command }];

/** By the names of checks, which never change. */
const stepsOfObjects: Readonly<Record<string, StepsOfObject>> = {
  consumer_group_stuck: ({ name }) => [
    lagCommand(name),
    toGroup(`Skip a record that cannot be processed: reset the offsets of ${name}`, name),
  ],
  consumer_group_falling_behind: ({ name }) => [
    lagCommand(name),
    toGroup(`See which members of ${name} read which partitions`, name),
  ],
  consumer_group_without_members: ({ name }) => [
    toGroup(`Delete ${name}, or its offsets of one topic, if no consumer uses it any more`, name),
  ],
  topics_without_retention: ({ name }) => [
    { text: `Set retention.ms of ${name}`, page: 'topicConfigs', name },
    {
      text: 'Or set it to one week; older records are deleted',
      command: `weir cli alter-topic-configs -topic ${shellWord(name)} -config retention.ms=${weekMs}`,
    },
  ],
  invalid_records: ({ name }) => [
    { text: `See which schema validates the records of ${name}`, page: 'topicSchema', name },
  ],
  unused_credentials: ({ name }) => [{ text: `Delete the credential ${name}`, page: 'credentials', name }],
  invalid_acls: ({ name }) => [{ text: 'Delete the rule', page: 'acls', name }],
  subjects_without_compatibility: ({ kind, name }) => {
    const subject = kind === 'subject' ? name : undefined;
    return [
      {
        text: `Set the compatibility level of ${subject ?? 'the registry'} to BACKWARD`,
        compatibilityOf: subject,
      },
      {
        text: 'Or run this command',
        command: `weir cli schema-config${subject === undefined ? '' : ` -subject ${shellWord(subject)}`} -compatibility BACKWARD`,
      },
    ];
  },
  lost_agent: ({ name }) => [{ text: `Check whether ${name} is connected again`, page: 'agents', name }],
  overloaded_agents: ({ name }) => [{ text: `Compare ${name} with the other agents`, page: 'agents', name }],
};

const stepsOfCluster: Readonly<Record<string, readonly Step[]>> = {
  no_agents: [{ text: 'See how to start an agent', page: 'agents', name: '' }],
  no_jobs_agent: setting('Start an agent with this flag', '-roles proxy,jobs'),
  no_superuser: [{ text: 'Create a superuser credential', page: 'credentials', name: '' }],
  produce_timeout: setting('Set on the producer', 'request.timeout.ms=30000'),
  clock_skew: setting('Run on the host of the agent', 'timedatectl set-ntp true'),
  high_cardinality: setting(
    'Start agents with this flag',
    '-disableConsumerGroupsMetricsTags partition,topic',
  ),
};

/** What can be done at once about a diagnostic that fails: commands to copy, pages, and operations. */
export function stepsOf({ name, groups }: Diagnostic): readonly Step[] {
  if (groups.length === 0) return [];
  const ofObject = stepsOfObjects[name];
  if (ofObject === undefined) return stepsOfCluster[name] ?? [];
  return groups.slice(0, objectsMax).flatMap((group) => {
    const object = objectOf(group);
    return object === undefined ? [] : ofObject(object);
  });
}
