import { defineCheck } from '../check.ts';

export const migrationSourceFailing = defineCheck({
  name: 'migration_source_failing',
  type: 'pipelines',
  source: 'agent',
  severity: 'high',
  title: 'A migration is stuck',
  observes:
    'What the jobs of a running migration report: that the source cannot be reached or refuses the login, and topics that cannot be created or copied.',
  explanation:
    'Nothing is lost here, and copying goes on by itself once the cause is gone. But records that the source deletes by retention meanwhile are missing in the copy.',
  fix: 'Run weir cli migrate preflight, which says what stands in the way: address, certificate, login, or a topic that is here already with other records. Raise the retention at the source meanwhile.',
  kinds: ['kafka'],
  run({ migration }) {
    if (migration === undefined) return { missing: 'migration' };
    if (migration === null) return [];
    const { name, errors, topics } = migration;
    const [first] = errors;
    const whole =
      first === undefined
        ? []
        : [
            {
              entity: { kind: 'pipeline', name } as const,
              message: `Migration ${name}: ${first}`,
              weight: Number.MAX_SAFE_INTEGER,
            },
          ];
    const ofTopics = topics.flatMap(({ name: topic, partitionCount, error }) =>
      error === undefined
        ? []
        : [
            {
              entity: { kind: 'topic', name: topic } as const,
              severity: 'medium' as const,
              message: `Topic ${topic}: ${error}`,
              weight: partitionCount,
            },
          ],
    );
    return [...whole, ...ofTopics];
  },
});
