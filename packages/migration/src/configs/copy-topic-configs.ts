import { checkTopicConfigs } from '@weir/cluster';
import type { SourceConfig } from '../source/source-configs.ts';
import { type ConfigRule, topicConfigRule } from './topic-config-rules.ts';

/** What becomes of one config of a topic. */
export interface ConfigOutcome {
  readonly name: string;
  readonly value: string;
  readonly fate: 'copied' | 'without effect' | 'left out' | 'refused';
  /** Absent if it is copied as the topic has it. */
  readonly reason: string | undefined;
}

export interface CopiedConfigs {
  /** To set here. */
  readonly configs: Readonly<Record<string, string>>;
  readonly outcomes: readonly ConfigOutcome[];
}

const inherited = 'the topic has it from its brokers; here it is set for the topic itself';

function reasonOf(rule: ConfigRule, isInherited: true | undefined): string | undefined {
  if (rule.fate !== 'copied') return rule.reason;
  return isInherited ? inherited : undefined;
}

/** Configs of one topic; a source may send more, and those are left out. */
const configsMax = 500;
const shownCharsMax = 200;

/** Decides which configs of a topic are set here, each with a value that this cluster takes. */
export function copyTopicConfigs(configs: readonly SourceConfig[]): CopiedConfigs {
  const copied: Record<string, string> = {};
  const outcomes = configs.slice(0, configsMax).map(({ name, value, isInherited }): ConfigOutcome => {
    const shown = { name: name.slice(0, shownCharsMax), value: value.slice(0, shownCharsMax) };
    const rule = topicConfigRule(name);
    if (rule.fate === 'left out') return { ...shown, ...rule };
    const {
      problems: [problem],
    } = checkTopicConfigs({ [name]: value });
    if (problem !== undefined) return { ...shown, fate: 'refused', reason: problem.rule };
    copied[name] = value;
    return { ...shown, fate: rule.fate, reason: reasonOf(rule, isInherited) };
  });
  return { configs: copied, outcomes };
}
