import { type CheckResult, defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const subjectsWithoutCompatibility = defineCheck({
  name: 'subjects_without_compatibility',
  type: 'clients',
  source: 'control_plane',
  severity: 'low',
  title: 'A subject accepts any schema',
  observes:
    'Subjects of the schema registry whose compatibility level is NONE, their own or that of the registry.',
  explanation:
    'A producer can register a schema that consumers of earlier records or older consumers cannot read. They fail when the first such record arrives, and not when the schema is registered.',
  fix: 'Set a level: weir cli schema-config -compatibility BACKWARD, with -subject for one subject. weir cli check-schema says whether a schema fits before it is registered. Where any schema is allowed on purpose, mute this diagnostic.',
  kinds: ['kafka', 'schema_registry'],
  run({ registry }): CheckResult {
    if (registry === undefined) return { missing: 'the schema registry' };
    const { uncheckedSubjects, uncheckedSubjectCount, subjectCount, isUncheckedByDefault } = registry;
    if (uncheckedSubjectCount === 0) return [];
    if (isUncheckedByDefault)
      return [
        {
          entity: { kind: 'cluster', name: 'schema registry' },
          message: `The registry has the level NONE: ${uncheckedSubjectCount} of ${counted(subjectCount, 'subject')} accept any schema.`,
          weight: uncheckedSubjectCount,
        },
      ];
    return [...new Set(uncheckedSubjects)].map((name, index) => ({
      entity: { kind: 'subject', name },
      message: `${name} has the level NONE.`,
      weight: uncheckedSubjects.length - index,
    }));
  },
});
