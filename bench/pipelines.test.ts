import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PipelineResults, pageWith } from './pipelines/page.ts';
import type { PipelineRow } from './pipelines/rows.ts';

const row = (weir: readonly number[], bento: readonly number[] = []): PipelineRow => ({
  name: 'copy',
  what: 'from topic to topic',
  unit: 'MB',
  bar: { atLeast: 80 },
  weir,
  bento,
});

const results = (...rows: PipelineRow[]): PipelineResults => ({
  format: 1,
  machine: 'two cores',
  commit: 'abc',
  date: '2026-11-18',
  isQuick: true,
  rows,
});

test('results of pipelines get a section of the page, and replace those before', () => {
  const first = pageWith('# Page\n\nText.\n', results(row([70, 79, 90], [40])));
  assert.match(first, /^# Page\n\nText\.\n\n## Pipelines\n/);
  assert.match(first, /from topic to topic +\| at least 80 \| 79 MB \(70–90\) \| MISSED \| 40 MB/);
  assert.match(first, /- \*\*from topic to topic\.\*\* .*Next: /s, 'why the bar is missed');
  const second = pageWith(`${first}\nMore.\n`, results(row([123_456])));
  assert.match(second, /\| 123,500 MB +\| met/);
  assert.doesNotMatch(second, /MISSED|Next:|79 MB/);
  assert.match(second, /\n\nMore\.\n$/);
  assert.equal(second.match(/## Pipelines/g)?.length, 1);
});

test('a bar that is missed says how fast the machine was', () => {
  const page = pageWith('', results({ ...row([70]), runtime: [100, 120, 90] }));
  assert.match(
    page.replaceAll(/\s+/g, ' '),
    /`JSON\.parse` and `JSON\.stringify` alone did 100 MB \(90–120\)\./,
  );
});
