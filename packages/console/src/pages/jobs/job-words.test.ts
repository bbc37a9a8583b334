import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Job, progressText, reasonText, stateCounts, takersText } from './job-words.ts';

const job: Job = {
  job_id: 'file_deletion-1-1',
  kind: 'file_deletion',
  scope: '',
  state: 'waiting',
  planned_at: '2026-11-17T09:00:00.000Z',
  done_count: 0,
  failure_count: 0,
  message: '',
};
const takers = (agent_count: number, paused_agent_count: number) => ({
  kind: 'file_deletion',
  agent_count,
  paused_agent_count,
});

test('jobs are counted by state', () => {
  assert.equal(stateCounts([]), '');
  assert.equal(
    stateCounts((['done', 'waiting', 'running', 'running', 'stopped'] as const).map((state) => ({ state }))),
    '2 running, 1 waiting, 1 stopped, 1 done',
  );
});

test('who takes jobs of a kind', () => {
  assert.deepEqual(takersText(takers(1, 0)), { status: 'ok', text: '1 agent' });
  assert.deepEqual(takersText(takers(2, 1)), { status: 'ok', text: '2 agents, 1 more paused' });
  assert.deepEqual(takersText(takers(0, 0)), { status: 'warn', text: 'no agent runs them' });
  assert.match(takersText(takers(0, 2)).text, /^2 agents paused until /);
});

test('why a job waits, and how far it is', () => {
  assert.equal(reasonText(job, []), '');
  assert.equal(reasonText(job, [takers(0, 0)]), 'no agent runs jobs of this kind');
  assert.equal(reasonText(job, [takers(1, 0)]), 'waiting for an agent with free capacity');
  assert.equal(reasonText({ ...job, message: 'not allowed' }, [takers(1, 0)]), 'not allowed');
  assert.equal(reasonText({ ...job, state: 'running' }, [takers(0, 0)]), '');
  assert.equal(progressText(job), undefined);
  assert.equal(progressText({ ...job, done_count: 3000 }), '3,000 so far');
  assert.equal(progressText({ ...job, done_count: 3, total_count: 4000 }), '3 of 4,000');
});
