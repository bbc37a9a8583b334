import { printAddress } from '@weir/client';
import { escapeControls } from '../../problem.ts';
import type { BrokerVisit, Diagnosis } from './diagnose.ts';
import type { Step, StepOutcome } from './step.ts';

const marks: Readonly<Record<StepOutcome, string>> = {
  ok: 'OK',
  note: 'NOTE',
  failed: 'FAILED',
  skipped: '-',
};

/** All problems for the user, without duplicates, in the order in which they occurred. */
export function problemsOf({ steps, brokers, coordinator }: Diagnosis): readonly string[] {
  const ofSteps = steps.filter(({ outcome }) => outcome === 'failed').map(stepSentence);
  const visits = [...brokers, ...(coordinator === null ? [] : [coordinator])];
  const ofVisits = visits
    .filter(({ accessible }) => !accessible)
    .map((visit) => sentence(printAddress(visit), visit.problem ?? '', visit.advice));
  return [...new Set([...ofSteps, ...ofVisits])];
}

function notesOf({ steps }: Diagnosis): readonly string[] {
  return steps.filter(({ outcome, advice }) => outcome === 'note' && advice !== null).map(stepSentence);
}

function stepSentence({ step, detail, advice }: Step): string {
  return sentence(step, detail, advice);
}

function sentence(about: string, what: string, advice: string | null): string {
  return [`${about}: ${what}`, advice].filter(Boolean).join('; ');
}

export function diagnosisText(diagnosis: Diagnosis): string {
  const { bootstrap, steps, brokers, coordinator } = diagnosis;
  const sections = [
    [`Bootstrap ${printAddress(bootstrap)}`, ...aligned(steps.map(stepCells))],
    ...(brokers.length === 0 ? [] : [['Brokers', ...aligned(brokers.map(brokerCells))]]),
    ...(coordinator === null ? [] : [['Group coordinator', ...aligned([brokerCells(coordinator)])]]),
    ...listed('Notes', notesOf(diagnosis)),
    ...listed('Problems', problemsOf(diagnosis)),
    [conclusionOf(diagnosis)],
  ];
  return `${sections.map((lines) => lines.map(escapeControls).join('\n')).join('\n')}\n`;
}

/** The last sentence: whether a client can work, and if not, where to begin. */
export function conclusionOf(diagnosis: Diagnosis): string {
  if (problemsOf(diagnosis).length === 0) return 'Clients with these flags can use the cluster.';
  const first = diagnosis.steps.find(({ outcome }) => outcome === 'failed');
  const where = first === undefined ? 'a broker' : `step ${first.step}`;
  return `Clients with these flags have problems; start with ${where}.`;
}

function listed(title: string, sentences: readonly string[]): readonly (readonly string[])[] {
  return sentences.length === 0 ? [] : [[title, ...sentences.map((text) => `  ${text}`)]];
}

function stepCells({ step, outcome, detail }: Step): readonly string[] {
  return [marks[outcome], step, detail];
}

function brokerCells(broker: BrokerVisit): readonly string[] {
  const { nodeId, rack, accessible, problem } = broker;
  const mark = accessible ? 'ACCESSIBLE' : `NOT ACCESSIBLE: ${problem}`;
  return [printAddress(broker), `node ${nodeId}`, `[${rack ?? 'no rack'}]`, mark];
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)));
  return rows.map((row) => `  ${row.map((cell, index) => cell.padEnd(widths[index]!)).join('  ')}`.trimEnd());
}
