import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitMarks } from './commit-marks.ts';

test('a commit carries the newest mark that was received before it, and a new leader starts at count 0', () => {
  let term: number | undefined;
  const marks = new CommitMarks({ leaderTerm: () => term });
  const latestMark = () => marks.originOf({ connection: 'c', request: 5 }).heard;
  assert.equal(latestMark(), undefined);
  term = 3;
  assert.deepEqual(latestMark(), { term: 3, count: 0 });
  marks.hear({ term: 3, count: 8 });
  marks.hear({ term: 3, count: 7 });
  marks.hear(undefined);
  assert.deepEqual(latestMark(), { term: 3, count: 8 });
  term = 4;
  assert.deepEqual(latestMark(), { term: 4, count: 0 });
  marks.hear({ term: 3, count: 9 });
  assert.deepEqual(latestMark(), { term: 4, count: 0 });
});
