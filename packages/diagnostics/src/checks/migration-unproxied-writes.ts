import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const migrationUnproxiedWrites = defineCheck({
  name: 'migration_unproxied_writes',
  type: 'pipelines',
  source: 'agent',
  severity: 'medium',
  title: 'Producers still write to the source of a migration',
  observes:
    'Records that the source got in the last half minute in topics whose writes agents pass on, and that no agent has passed on: the metric orbit_auto_migration_unproxied_source_writes_num_records.',
  explanation:
    'These records are copied. But a producer that still writes there after the cut-over writes records that no reader here ever sees, so that the cut-over waits until they end.',
  fix: 'Find the producers by the metrics or the quotas of the source, and point them at the agents, or stop them. Transactional producers stay at the source until the cut-over: stop them for it.',
  kinds: ['kafka'],
  run({ migration }) {
    if (migration === undefined) return { missing: 'migration' };
    return (migration?.topics ?? []).flatMap(({ name, state, unproxiedRecords }) =>
      state !== 'PROXY' || unproxiedRecords === 0
        ? []
        : [
            {
              entity: { kind: 'topic', name } as const,
              message: `Topic ${name}: ${counted(unproxiedRecords, 'record')} reached the source past the agents since they forward.`,
              weight: unproxiedRecords,
            },
          ],
    );
  },
});
