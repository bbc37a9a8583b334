import { violationLine } from '../../tools/schemas/violation-line.ts';
import type { DesiredCluster, DesiredSchema } from '../desired.ts';
import { subjectOfReference } from '../document/schema-order.ts';
import { creation, deletion, nothing, update } from './changes.ts';
import { linesOf } from './diff-lines.ts';
import type { PlanContext } from './plan-context.ts';
import { isOuter, type RegistryItem, type RegistryOutcome, schemaChange } from './registry-checks.ts';
import type { Change, Step, WritingStep } from './step.ts';

/**
 * Plans a schema registry. The control plane has checked all changes together, so that a schema which would be refused
 * is an obstacle before anything is changed. A schema that the subject has already, in any version, is left as it is.
 */
export function planRegistry({ desired, registry, refuse }: PlanContext): Step[] {
  if (registry === undefined) return [];
  if (registry.isTooLarge) {
    const message = `virtual cluster ${desired.name}: too many schemas reference each other to check them at once`;
    refuse({ place: desired.place, message });
  }
  const refused = new Set<string>();
  const steps = registry.checks.map(({ item, outcome }): Step => {
    const name = nameOf(item);
    const { problem } = outcome;
    if (problem === null) return stepOf(desired, item, outcome);
    // What comes after a refused schema is refused too, for the same reason.
    if (item.kind !== 'schema' || !isAfter(item.schema, refused)) refuse(obstacleOf(item, outcome, problem));
    if (item.kind === 'schema') refused.add(item.schema.subject);
    return nothing(desired, kindOf(item), name);
  });
  return [
    ...steps,
    ...registry.deletions.map((subject) =>
      deletion(desired, {
        kind: 'subject',
        name: subject,
        phase: 'subject deletions',
        task: { operation: 'delete_subject', input: { subject } },
      }),
    ),
    ...registry.kept.map(
      ({ subject, reason }): Step => ({
        action: 'keep',
        kind: 'subject',
        cluster: desired.name,
        name: subject,
        reason,
      }),
    ),
  ];
}

function stepOf(desired: DesiredCluster, item: RegistryItem, outcome: RegistryOutcome): Step {
  if (!outcome.is_change) return nothing(desired, kindOf(item), nameOf(item));
  return item.kind === 'schema'
    ? registration(desired, item.schema, outcome)
    : settingsChange(desired, item, outcome);
}

function registration(desired: DesiredCluster, schema: DesiredSchema, outcome: RegistryOutcome): WritingStep {
  const { subject, type } = schema;
  const { version, compared_version: compared, compatibility_level: level, diff } = outcome;
  const verdict = level === 'NONE' ? 'not compared' : `compatible with version ${compared}`;
  return creation(desired, {
    kind: 'schema',
    name: subject,
    phase: 'schemas',
    changes: [
      { field: 'type', to: type },
      { field: 'version', to: String(version) },
      ...(compared === null ? [] : [{ field: 'compatibility', to: `${verdict} (${level})` }]),
    ],
    diff,
    task: {
      operation: 'register_schema',
      input: schemaChange(schema),
    },
  });
}

function settingsChange(
  desired: DesiredCluster,
  item: Extract<RegistryItem, { kind: 'settings' }>,
  { own_compatibility_level, own_mode, own_normalize }: RegistryOutcome,
): WritingStep {
  const { change, isLate } = item;
  const { compatibility_level, mode, normalize } = change;
  const changes: Change[] = [
    ...changeOf('compatibility_level', own_compatibility_level, compatibility_level),
    ...changeOf('mode', own_mode, mode),
    ...(normalize === undefined ? [] : changeOf('normalize', String(own_normalize), String(normalize))),
  ];
  return update(desired, {
    kind: kindOf(item),
    name: nameOf(item),
    phase: isLate ? 'registry modes' : 'registry settings',
    changes,
    task: {
      operation: 'update_registry_config',
      input: { ...(change.subject === undefined ? {} : { subject: change.subject }), ...settingsIn(change) },
    },
  });
}

function settingsIn({ compatibility_level, mode, normalize }: RegistryItem['change']) {
  return {
    ...(compatibility_level === undefined ? {} : { compatibility_level }),
    ...(mode === undefined ? {} : { mode }),
    ...(normalize === undefined ? {} : { normalize }),
  };
}

const inherited = 'INHERITED';

function changeOf(field: string, own: string | null, wanted: string | null | undefined): Change[] {
  if (wanted === undefined || wanted === own) return [];
  return [{ field, from: own ?? inherited, to: wanted ?? inherited }];
}

function kindOf(item: RegistryItem): 'schema' | 'subject' | 'schema_registry' {
  if (item.kind === 'schema') return 'schema';
  return isOuter(item.settings.scope) ? 'schema_registry' : 'subject';
}

function nameOf(item: RegistryItem): string {
  if (item.kind === 'schema') return item.schema.subject;
  const { scope = '' } = item.settings;
  return scope === '' || !isOuter(scope) ? scope : `context ${scope.slice(1, -1)}`;
}

/** Whether a schema cannot be checked because one before it was refused. */
function isAfter({ subject, references }: DesiredSchema, refused: ReadonlySet<string>): boolean {
  return (
    refused.has(subject) ||
    references.some((reference) => refused.has(subjectOfReference(subject, reference.subject)))
  );
}

const violationLinesMax = 20;

function obstacleOf(item: RegistryItem, outcome: RegistryOutcome, problem: string) {
  if (item.kind === 'settings') {
    const what = [kindOf(item).replace('_', ' '), nameOf(item)].filter((word) => word !== '').join(' ');
    return { place: item.settings.place, message: `${what}: ${problem}` };
  }
  const { place, subject, file } = item.schema;
  const from = file === undefined ? '' : `${file.name}: `;
  const { violations, compared_version: compared, compatibility_level: level, diff } = outcome;
  if (violations.length === 0) return { place, message: `subject ${subject}: ${from}${problem}` };
  const lines = violations.slice(0, violationLinesMax).map(violationLine);
  const more = violations.length - lines.length;
  return {
    place,
    message: `subject ${subject}: ${from}incompatible with version ${compared} (${level})`,
    details: [...lines, ...(more > 0 ? [`… ${more} more differences`] : []), ...linesOf(diff)],
  };
}
