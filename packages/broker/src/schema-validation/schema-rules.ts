/** How the subject of a schema follows from topic and record. */
export type SubjectNameStrategy = 'TopicNameStrategy' | 'RecordNameStrategy' | 'TopicRecordNameStrategy';

/** What a topic demands of the schemas of its records. */
export interface SchemaRules {
  /** Absent if keys are not validated. */
  readonly key?: SubjectNameStrategy | undefined;
  /** Absent if values are not validated. */
  readonly value?: SubjectNameStrategy | undefined;
  /** Whether invalid records are only counted. */
  readonly warnsOnly: boolean;
}

type Configs = Readonly<Record<string, string>>;

/** Returns nothing for a topic that validates neither keys nor values. */
export function schemaRulesIn(configs: Configs): SchemaRules | undefined {
  const key = strategyOf('key', configs);
  const value = strategyOf('value', configs);
  if (key === undefined && value === undefined) return undefined;
  return { key, value, warnsOnly: isTrue(configs['service.schema.validation.warning.only']) };
}

function strategyOf(part: 'key' | 'value', configs: Configs): SubjectNameStrategy | undefined {
  if (!isTrue(configs[`service.${part}.schema.validation`])) return undefined;
  const strategy = configs[`service.${part}.subject.name.strategy`]?.trim();
  return strategy === 'RecordNameStrategy' || strategy === 'TopicRecordNameStrategy'
    ? strategy
    : 'TopicNameStrategy';
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === 'true';
}
