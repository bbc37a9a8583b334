import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterLimits } from '../limits.ts';
import { type JobReport, jobCalls } from './job-calls.ts';

const report: JobReport = {
  agentId: 'a',
  jobId: 'pipeline-1-1',
  state: 'running',
  progress: { doneCount: 0, totalCount: -1 },
  checkpoint: null,
  message: '',
};
const { jobReportsPerCallMax: countMax, jobReportBytesPerCallMax: bytesMax } = clusterLimits;
const some = (count: number, more: object = {}) => Array(count).fill({ ...report, ...more });

for (const [name, reports, problem] of [
  ['none', [], undefined],
  ['as many as one call has', some(countMax), undefined],
  ['one more', some(countMax + 1), /251 reports, at most 250/],
  ['one that is not a report', [report, {}], /not a text \(entry 1\)/],
  ['what is no list', 'x', /not a list/],
  ['long messages', some(20, { message: 'x'.repeat(bytesMax / 20) }), /bytes, at most 524288/],
  ['a long checkpoint', some(1, { checkpoint: new Uint8Array(bytesMax) }), /bytes, at most 524288/],
  [
    'a long error',
    some(1, { progress: { ...report.progress, lastError: 'x'.repeat(bytesMax) } }),
    /bytes, at most 524288/,
  ],
] as const)
  test(`a call with several reports: ${name}`, () => {
    const found = jobCalls.reportJobs.args([reports], 'reportJobs');
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', problem);
  });
