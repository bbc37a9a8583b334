import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkHistory, type Defect } from '../../faults/history/check-history.ts';
import type { FaultEvent } from '../../faults/history/events.ts';
import { type Outcome, runScenario } from '../../faults/run-scenario.ts';
import { scenarios } from '../../faults/scenarios.ts';
import { isWell } from '../../faults/summary.ts';

/**
 * The part of `npm run test:faults` that runs on every change: one scenario for each kind of process, one for the
 * bucket, and one for background jobs.
 */
const names = ['agents-killed', 'leader-killed', 'bucket-tears', 'files-age'] as const;
const seed = 14;
const troubleMs = 4_000;
/** On a busy machine, a scenario may use its whole recovery time more than once. */
const bounded = { timeout: 480_000 };

type Ran = Exclude<Outcome, { readonly skipped: string }>;
type Read = FaultEvent & { readonly type: 'read' };

const isLastRead = (event: FaultEvent): event is Read => event.type === 'read' && event.isLast;

/** Changes to the history of a run that simulate defects of a cluster. */
const damages: Readonly<Record<string, (history: readonly FaultEvent[]) => [Defect, readonly FaultEvent[]]>> =
  {
    'an acknowledged record is gone': (history) => {
      const plain = new Set(
        history.flatMap((event) =>
          event.type === 'write' && event.transaction === undefined ? event.value : [],
        ),
      );
      const acknowledged = history.findLast(
        (event) => event.type === 'acknowledge' && plain.has(event.value),
      ) as FaultEvent & { readonly type: 'acknowledge' };
      return ['lost', history.filter((event) => !(isLastRead(event) && event.value === acknowledged.value))];
    },
    'a record is there twice': (history) => {
      const read = history.find(isLastRead)!;
      return ['duplicate', [...history, { ...read, offset: read.offset + 1_000_000 }]];
    },
    'a part of a committed transaction is gone': (history) => {
      const written = history.flatMap((event) => (event.type === 'write' ? event : []));
      const sizes = Map.groupBy(written, ({ transaction }) => transaction);
      const committed = history.flatMap((event) => (event.type === 'committed' ? event.transaction : []));
      const torn = committed.find((transaction) => sizes.get(transaction)!.length > 1)!;
      const { value } = sizes.get(torn)![0]!;
      return ['torn', history.filter((event) => !(isLastRead(event) && event.value === value))];
    },
    'a record of an aborted transaction is visible': (history) => {
      const commitRequested = new Set(
        history.flatMap((event) => (event.type === 'askCommit' ? event.transaction : [])),
      );
      const aborted = history.find(
        (event) =>
          event.type === 'write' &&
          event.transaction !== undefined &&
          !commitRequested.has(event.transaction),
      ) as FaultEvent & { readonly type: 'write' };
      const { topic, partition, value, atMs } = aborted;
      const read = { type: 'read', reader: 'planted', isLast: true, topic, partition, value, atMs } as const;
      return ['aborted', [...history, { ...read, offset: 1_000_000 }]];
    },
    'a committed offset is taken back': (history) => {
      const position = history.findLast((event) => event.type === 'offsetFetched' && event.offset > 0);
      const { group, topic, partition, atMs } = position as FaultEvent & { readonly type: 'offsetFetched' };
      const call = 1_000_000;
      const back = {
        type: 'offsetFetched',
        call,
        isLast: false,
        group,
        topic,
        partition,
        offset: 0,
      } as const;
      return ['backwards', [...history, { type: 'fetchOffsets', call, atMs }, { ...back, atMs }]];
    },
  };

/** Saves what is needed to find the cause, and returns where. */
function keep(name: string, { history, report }: Ran): string {
  const folder = mkdtempSync(join(tmpdir(), `weir-faults-${name}-`));
  writeFileSync(join(folder, 'history.jsonl'), history.map((event) => `${JSON.stringify(event)}\n`).join(''));
  writeFileSync(join(folder, 'report.txt'), report);
  return folder;
}

// Each scenario mostly waits: for starts, for its faults, and for clients to recover.
describe('scenarios', { concurrency: true }, () => {
  for (const name of names) {
    test(`${name}: clients lose nothing and see nothing twice`, bounded, async () => {
      const scenario = scenarios.find((one) => one.name === name)!;
      const outcome = await runScenario(scenario, { seed, troubleMs });
      assert.ok(!('skipped' in outcome), 'the scenario needs nothing that a machine may lack');
      if (!isWell(outcome)) {
        const { problem, verdict, harms } = outcome;
        const found = verdict.findings.slice(0, 10).map(({ defect, detail }) => `${defect}: ${detail}`);
        const what = [problem, ...found, `${harms} harms, ${verdict.acknowledged} acknowledged`].join('\n');
        assert.fail(`${what}\nhistory and logs: ${keep(name, outcome)}`);
      }
      // Proves that the checks find defects: the same history with a defect must fail.
      for (const [what, damage] of Object.entries(damages)) {
        const [defect, damaged] = damage(outcome.history);
        const found = checkHistory(damaged).findings.map((finding) => finding.defect);
        assert.ok(found.includes(defect), `${what}: found ${found.join(', ') || 'nothing'}`);
      }
    });
  }
});
