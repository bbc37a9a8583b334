import type { TopicDescription } from '@weir/cluster';
import { type SchemaRules, schemaRulesIn } from '../schema-validation/schema-rules.ts';

/** Rules of a topic for batches that are written to it. */
export interface TopicRules {
  readonly recordBytesMax: number;
  /** Compacted topics retain the last value of each key. */
  readonly requiresKeys: boolean;
  /** Whether records get the agent's time instead of the producer's. */
  readonly stampsAppendTime: boolean;
  /** Whether keys and values must fit their schemas. */
  readonly schemas?: SchemaRules | undefined;
  /** Whether records are acknowledged as soon as they are stored, before they have offsets. */
  readonly isLightning?: boolean | undefined;
}

type Configs = Readonly<Record<string, string>>;

/** Reads the rules of a topic: its own config first, then the cluster's, then the agent's. */
type TopicRulesReader = (topic: TopicDescription, clusterConfigs: Configs) => TopicRules;

interface AgentRules {
  readonly recordBytesMax: number;
  /** Whether all topics are lightning topics, whatever their configs say: with ripcord. By default they are not. */
  readonly areAllLightning?: boolean | undefined;
}

/** Descriptions are immutable and get replaced, so rules are read once per description. */
export function createTopicRulesReader(agent: AgentRules): TopicRulesReader {
  const known = new WeakMap<
    TopicDescription,
    { readonly clusterConfigs: Configs; readonly rules: TopicRules }
  >();
  return (topic, clusterConfigs) => {
    const before = known.get(topic);
    if (before?.clusterConfigs === clusterConfigs) return before.rules;
    const rules = rulesOf(topic.configs, clusterConfigs, agent);
    known.set(topic, { clusterConfigs, rules });
    return rules;
  };
}

function rulesOf(
  topic: Configs,
  cluster: Configs,
  { recordBytesMax, areAllLightning = false }: AgentRules,
): TopicRules {
  const policy = topic['cleanup.policy'] ?? cluster['log.cleanup.policy'] ?? 'delete';
  const timestampType = topic['message.timestamp.type'] ?? cluster['log.message.timestamp.type'];
  return {
    recordBytesMax:
      sizeOf(topic['max.message.bytes']) ?? sizeOf(cluster['message.max.bytes']) ?? recordBytesMax,
    requiresKeys: policy.split(',').some((part) => part.trim() === 'compact'),
    stampsAppendTime: timestampType === 'LogAppendTime',
    schemas: schemaRulesIn(topic),
    isLightning:
      areAllLightning ||
      (topic['service.topic.type'] ?? cluster['service.default.topic.type']) === 'lightning',
  };
}

function sizeOf(text: string | undefined): number | undefined {
  const size = Number(text);
  return text !== undefined && Number.isSafeInteger(size) && size >= 0 ? size : undefined;
}
