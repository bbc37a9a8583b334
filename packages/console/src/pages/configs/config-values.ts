import type { OutputOf } from '@weir/api/client';
import { configProblem } from '@weir/api/topic-rules';
import { formatAmount, parseAmount } from '@weir/core';
import { cutText, visibleText } from '../../format/visible-text.ts';

export type ConfigDefinition = OutputOf<'list_topic_config_definitions'>['definitions'][number];

type Rule = Pick<ConfigDefinition, 'type' | 'rule' | 'words' | 'minimum' | 'maximum' | 'unit'>;

/** The value of a config as people read it: `7 d`, `1 GiB`. */
export function shownValue({ unit }: Pick<Rule, 'unit'>, text: string | null): string {
  if (text === null) return 'set by agents';
  if (text === '') return 'empty';
  return cutText(visibleText(unit === null ? text : formatAmount(text, unit)), 200);
}

/** The text that a config stores for what was typed; what is no amount stays, and is refused by its rule. */
export function storedValue({ unit, minimum, maximum }: Rule, typed: string): string {
  const text = typed.trim();
  if (unit === null) return text;
  const isUnlimited = /^unlimited$/i.test(text);
  // Some have no -1: the largest number is as good as no limit.
  if (isUnlimited && minimum !== null && !minimum.startsWith('-')) return maximum ?? text;
  return parseAmount(text, unit) ?? text;
}

/** What the field of a config begins with: the value as people read it, if that means the same. */
export function editedValue(definition: Rule, text: string | null): string {
  if (text === null || definition.unit === null) return text ?? '';
  const shown = formatAmount(text, definition.unit);
  return storedValue(definition, shown) === text ? shown : text;
}

/** What is wrong with what was typed. */
export function typedProblem(definition: Rule, typed: string): string | undefined {
  const problem = configProblem(definition, storedValue(definition, typed));
  if (problem === undefined || definition.unit === null) return problem;
  return `${problem}, or an amount such as ${definition.unit === 'bytes' ? '512 MiB' : '7 d'}`;
}
