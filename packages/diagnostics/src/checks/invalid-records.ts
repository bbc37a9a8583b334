import { type CheckResult, defineCheck, type Finding } from '../check.ts';
import type { InvalidRecordFacts } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

/** What is wrong with one record and with several, by the reason that agents count. */
const reasonTexts: ReadonlyMap<string, readonly [one: string, several: string]> = new Map([
  ['wire_format', ['carries no schema id', 'carry no schema id']],
  ['unknown_schema', ['has an unknown schema id', 'have an unknown schema id']],
  ['subject', ['has a schema of another subject', 'have schemas of another subject']],
  ['payload', ['does not match its schema', 'do not match their schemas']],
  ['too_costly', ['is too expensive to validate', 'are too expensive to validate']],
  ['unreadable_schema', ['has an unsupported schema', 'have unsupported schemas']],
  [
    'unchecked',
    [
      'could not be validated: schema registry unavailable',
      'could not be validated: schema registry unavailable',
    ],
  ],
]);

export const invalidRecords = defineCheck({
  name: 'records_without_valid_schema',
  type: 'clients',
  source: 'agent',
  severity: 'medium',
  title: 'Producers send records that fail schema validation',
  observes:
    'Records of the last minute, in topics with schema validation, that carry no schema id or an unknown one, or do not match their schema.',
  explanation:
    'If the topic rejects invalid records, producers fail. If it only warns, consumers get records that they cannot decode.',
  fix: 'Find the producers by INVALID_RECORD errors in their logs, and make them serialize with a schema of the registry that the topic uses. weir cli describe-schema -schema-id shows the schema of an id. If records could not be checked, check that the registry is up.',
  run({ invalidRecords }): CheckResult {
    if (invalidRecords === undefined) return { missing: 'agent reports' };
    const byTopic = Map.groupBy(invalidRecords, ({ topic }) => topic);
    return [...byTopic].map(([name, reasons]): Finding => {
      const recordCount = reasons.reduce((sum, { count }) => sum + count, 0);
      return {
        entity: { kind: 'topic', name },
        message: `Topic ${name}, last minute: ${reasons.map(reasonText).join('; ')}.`,
        weight: recordCount,
      };
    });
  },
});

function reasonText({ reason, count }: InvalidRecordFacts): string {
  const [one, several] = reasonTexts.get(reason) ?? ['is invalid', 'are invalid'];
  return `${counted(count, 'record')} ${count === 1 ? one : several}`;
}
