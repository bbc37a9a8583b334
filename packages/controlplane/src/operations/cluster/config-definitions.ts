import type { OutputOf } from '@weir/api';
import { type configCatalogues, documentationOf, unitOf } from '@weir/cluster';

type Definition = OutputOf<'list_topic_config_definitions'>['definitions'][number];
type ConfigRow = (typeof configCatalogues)['cluster']['rows'][string];

/** A config as forms need it, without the values of a resource. Words that would be refused are no choice. */
export function toDefinition(name: string, row: ConfigRow): Omit<Definition, 'default'> {
  const { type, withoutEffect, refusedValues = {} } = row;
  const words = type.words?.filter((word) => !Object.hasOwn(refusedValues, word));
  return {
    name,
    type: type.kafkaType.toLowerCase() as Definition['type'],
    group: row.group,
    unit: unitOf(name, row),
    rule: words?.length === 1 ? words[0]! : type.rule,
    words: words ?? null,
    minimum: type.min ?? null,
    maximum: type.max ?? null,
    documentation: documentationOf(row),
    has_effect: withoutEffect !== true,
  };
}
