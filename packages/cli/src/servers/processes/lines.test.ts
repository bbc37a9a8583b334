import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { cliLimits } from '../../limits.ts';
import { passLines } from './lines.ts';

async function passed(...chunks: string[]): Promise<string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  passLines(stream, (line) => void lines.push(line));
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.once('close', resolve));
  return lines;
}

test('lines are complete, however the stream was split', async () => {
  assert.deepEqual(await passed('one\ntwo\n'), ['one', 'two']);
  assert.deepEqual(await passed('o', 'ne', '\nt', 'wo'), ['one', 'two']);
  assert.deepEqual(await passed('\n\none\n\n'), ['one']);
  assert.deepEqual(await passed(), []);
});

test('a line that is too long is forwarded in pieces', async () => {
  const half = 'x'.repeat(cliLimits.passedLineCharactersMax / 2);
  assert.deepEqual(await passed(half, half, 'y\n', 'z\n'), [half + half, 'y', 'z']);
});
