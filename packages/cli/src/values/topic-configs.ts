import type { ValueType } from './value-type.ts';

interface TopicConfig {
  readonly name: string;
  readonly value: string;
}

/**
 * Configs of a topic: `cleanup.policy=compact,delete,retention.ms=1000`. A comma ends a value only where a name and an
 * equals sign follow, because some values are lists.
 */
export function topicConfigs(): ValueType<readonly TopicConfig[]> {
  return {
    label: 'configs',
    syntax: '`retention.ms=1000,cleanup.policy=compact,delete`',
    empty: [],
    parse(text) {
      const configs: TopicConfig[] = [];
      for (const part of text.split(/,(?=[A-Za-z0-9._-]+=)/)) {
        const match = /^([A-Za-z0-9._-]+)=([^\p{Cc}]*)$/u.exec(part);
        if (match === null) return { problem: 'name=value is needed, separated by commas' };
        configs.push({ name: match[1]!, value: match[2]! });
      }
      const twice = configs.find(
        ({ name }, index) => configs.findIndex((one) => one.name === name) !== index,
      );
      return twice === undefined ? { value: configs } : { problem: `${twice.name} is listed twice` };
    },
    print: (configs) => configs.map(({ name, value }) => `${name}=${value}`).join(','),
  };
}
