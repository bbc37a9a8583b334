/** What a topic demands of the schemas of its records, in words. */

type Part = 'key' | 'value';
type Configs = Readonly<Record<string, string | null | undefined>>;

type SubjectStrategy = 'TopicNameStrategy' | 'RecordNameStrategy' | 'TopicRecordNameStrategy';

interface Validation {
  readonly isOn: boolean;
  readonly isWarningOnly: boolean;
  readonly strategy: SubjectStrategy;
}

/** Agents read these configs the same way. */
export function validationOf(part: Part, configs: Configs): Validation {
  const isTrue = (name: string) => configs[name]?.trim().toLowerCase() === 'true';
  const strategy = configs[`service.${part}.subject.name.strategy`]?.trim();
  return {
    isOn: isTrue(`service.${part}.schema.validation`),
    isWarningOnly: isTrue('service.schema.validation.warning.only'),
    strategy:
      strategy === 'RecordNameStrategy' || strategy === 'TopicRecordNameStrategy'
        ? strategy
        : 'TopicNameStrategy',
  };
}

export function validationText(part: Part, { isOn, isWarningOnly }: Validation): string {
  if (!isOn) return `${part === 'key' ? 'Keys' : 'Values'} are not validated: agents accept any bytes.`;
  const what = part === 'key' ? 'Keys' : 'Values';
  return isWarningOnly
    ? `${what} are validated: agents count and accept invalid records.`
    : `${what} are validated: agents reject invalid records.`;
}

const strategyTexts: Readonly<Record<SubjectStrategy, string>> = {
  TopicNameStrategy: 'The subject is named after the topic.',
  RecordNameStrategy: 'The subject is named after the record type, whatever the topic.',
  TopicRecordNameStrategy: 'The subject is named after the topic and the record type.',
};

export const strategyText = ({ strategy }: Validation): string => strategyTexts[strategy];
