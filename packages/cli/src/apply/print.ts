import { escapeControls } from '../problem.ts';
import { linesOf } from './plan/diff-lines.ts';
import type { Plan } from './plan/plan.ts';
import { type Change, isWriting, type Step, type WritingStep } from './plan/step.ts';

const signs = { create: '+', update: '~', delete: '-', keep: '=', nothing: ' ' } as const;

/** The lines of a step in a plan: what it changes, and the diff of a schema. */
export function stepLines(step: Step, note = ''): string {
  const diff = isWriting(step) ? linesOf(step.diff ?? '') : [];
  return (
    indented(stepText(step) + note) + diff.map((line) => indented(`    ${escapeControls(line)}`)).join('')
  );
}

/** `+ topic orders (12 partitions)`, `~ topic orders: retention.ms 1 → 2` */
export function stepText(step: Step): string {
  const sign = signs[step.action];
  const subject = [step.kind.replace('_', ' '), step.name].filter((word) => word !== '').join(' ');
  return escapeControls(`${sign} ${subject}${detailsOf(step)}`);
}

function detailsOf(step: Step): string {
  if (!isWriting(step)) return ` (kept: it ${step.reason})`;
  if (step.changes.length === 0) return '';
  if (step.action === 'create') return ` (${step.changes.map(partText).join(', ')})`;
  return `: ${step.changes.map(changeText).join(', ')}`;
}

/** One property of a new thing. */
function partText({ field, to }: Change): string {
  if (field === 'partition_count') return `${to} partition${to === '1' ? '' : 's'}`;
  if (field === 'version') return `version ${to}`;
  return field === 'type' || field === 'tier' || field === 'compatibility' ? to : `${field}=${to}`;
}

function changeText({ field, from, to }: Change): string {
  return from === undefined ? `${field} = ${to}` : `${field} ${from} → ${to}`;
}

/** A line of text, indented under the name of its cluster. */
function indented(line: string): string {
  return `  ${line}\n`;
}

export function clusterHeading(name: string): string {
  return `virtual cluster ${escapeControls(name)}\n`;
}

/** The changes, cluster by cluster. Clusters without changes are left out. */
export function planText(plan: Plan): string {
  return plan.clusters
    .map(({ name, steps }) => {
      const printed = steps.filter((step) => step.action !== 'nothing');
      return printed.length === 0
        ? ''
        : clusterHeading(name) + printed.map((step) => stepLines(step)).join('');
    })
    .join('');
}

export interface Counts {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  /** Things that are as desired or must not be deleted. */
  readonly unchanged: number;
}

export function countsOf(plan: Plan): Counts {
  const all = plan.clusters.flatMap(({ steps }) => steps);
  const count = (...actions: Step['action'][]) => all.filter(({ action }) => actions.includes(action)).length;
  return {
    create: count('create'),
    update: count('update'),
    delete: count('delete'),
    unchanged: count('nothing', 'keep'),
  };
}

export function hasChanges({ create, update, delete: deleted }: Counts): boolean {
  return create + update + deleted > 0;
}

/** The last line of a dry run. */
export function planSummary(counts: Counts): string {
  if (!hasChanges(counts)) return nothingToDo(counts);
  const { create, update, delete: deleted, unchanged } = counts;
  return `Plan: ${create} to create, ${update} to update, ${deleted} to delete, ${unchanged} unchanged.\n`;
}

/** The last line of a run. */
export function doneSummary(done: readonly WritingStep[], counts: Counts): string {
  if (!hasChanges(counts)) return nothingToDo(counts);
  const count = (wanted: Step['action']) => done.filter(({ action }) => action === wanted).length;
  return `Done: ${count('create')} created, ${count('update')} updated, ${count('delete')} deleted, ${counts.unchanged} unchanged.\n`;
}

function nothingToDo({ unchanged }: Counts): string {
  return `No changes: ${unchanged} unchanged.\n`;
}
