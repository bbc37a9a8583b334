import { type CheckResult, defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const subjectsWithoutCompatibility = defineCheck({
  name: 'subjects_without_compatibility',
  type: 'clients',
  source: 'control_plane',
  severity: 'low',
  title: 'Subject has compatibility NONE',
  observes: 'Subjects of the schema registry with compatibility NONE, set for the subject or as the default.',
  explanation:
    'Producers can register incompatible schemas. Consumers then fail when the first such record arrives, instead of the registration failing.',
  fix: 'Set a compatibility level: weir cli schema-config -compatibility BACKWARD, with -subject for one subject. weir cli check-schema tests a schema before it is registered. If NONE is intended, mute this diagnostic.',
  kinds: ['kafka', 'schema_registry'],
  run({ registry }): CheckResult {
    if (registry === undefined) return { missing: 'schema registry' };
    const { uncheckedSubjects, uncheckedSubjectCount, subjectCount, isUncheckedByDefault } = registry;
    if (uncheckedSubjectCount === 0) return [];
    if (isUncheckedByDefault)
      return [
        {
          entity: { kind: 'cluster', name: 'schema registry' },
          message: `Default compatibility is NONE: it applies to ${uncheckedSubjectCount} of ${counted(subjectCount, 'subject')}.`,
          weight: uncheckedSubjectCount,
        },
      ];
    return [...new Set(uncheckedSubjects)].map((name, index) => ({
      entity: { kind: 'subject', name },
      message: `Subject ${name} has compatibility NONE.`,
      weight: uncheckedSubjects.length - index,
    }));
  },
});
