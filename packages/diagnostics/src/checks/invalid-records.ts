import { type CheckResult, defineCheck, type Finding } from '../check.ts';
import type { InvalidRecordFacts } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

/** What is wrong with one record and with several, by the reason that agents count. */
const reasonTexts: ReadonlyMap<string, readonly [one: string, several: string]> = new Map([
  ['wire_format', ['names no schema', 'name no schema']],
  [
    'unknown_schema',
    ['names a schema that the registry does not have', 'name schemas that the registry does not have'],
  ],
  ['subject', ['has a schema of another subject', 'have schemas of another subject']],
  ['payload', ['does not fit its schema', 'do not fit their schemas']],
  [
    'too_costly',
    ['takes too much work to check by its schema', 'take too much work to check by their schemas'],
  ],
  [
    'unreadable_schema',
    ['has a schema that this release cannot parse', 'have schemas that this release cannot parse'],
  ],
  [
    'unchecked',
    [
      'could not be checked, because the registry did not answer',
      'could not be checked, because the registry did not answer',
    ],
  ],
]);

export const invalidRecords = defineCheck({
  name: 'records_without_valid_schema',
  type: 'clients',
  source: 'agent',
  severity: 'medium',
  title: 'Producers send records that do not fit their schema',
  observes:
    'Records of the last minute in topics that validate schemas, which name no schema or an unknown one, or do not fit it.',
  explanation:
    'Where the topic refuses such records, their producers fail. Where it only warns, consumers find records that they cannot decode.',
  fix: 'Find the producers, for example with kafka produce errors in their logs, and let them serialize with a schema of the registry that the topic validates with. weir cli describe-schema -schema-id shows the schema of an id. For records that could not be checked, see whether the registry is up.',
  run({ invalidRecords }): CheckResult {
    if (invalidRecords === undefined) return { missing: 'reports of agents' };
    const byTopic = Map.groupBy(invalidRecords, ({ topic }) => topic);
    return [...byTopic].map(([name, reasons]): Finding => {
      const recordCount = reasons.reduce((sum, { count }) => sum + count, 0);
      return {
        entity: { kind: 'topic', name },
        message: `In the last minute of ${name}, ${reasons.map(reasonText).join('; ')}.`,
        weight: recordCount,
      };
    });
  },
});

function reasonText({ reason, count }: InvalidRecordFacts): string {
  const [one, several] = reasonTexts.get(reason) ?? ['is not valid', 'are not valid'];
  return `${counted(count, 'record')} ${count === 1 ? one : several}`;
}
