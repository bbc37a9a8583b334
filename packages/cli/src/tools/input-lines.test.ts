import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inputLines } from './input-lines.ts';

async function linesOf(chunks: readonly Uint8Array[], bytesMax?: number): Promise<readonly string[]> {
  async function* input() {
    yield* chunks;
  }
  const lines: string[] = [];
  for await (const group of inputLines(input(), bytesMax)) {
    assert.ok(group.length > 0);
    lines.push(...group.map((line) => line.toString('latin1')));
  }
  return lines;
}

test('lines do not depend on how the input is split', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.stringMatching(/^[ab\n\r]{0,8}$/), { maxLength: 8 }), async (parts) => {
      const whole = parts.join('');
      const expected = whole.split('\n').map((line) => line.replace(/\r$/, ''));
      // Text after the last line end is a line only if it is not empty.
      if (whole === '' || whole.endsWith('\n')) expected.pop();
      assert.deepEqual(await linesOf(parts.map((part) => Buffer.from(part))), expected);
    }),
  );
});

test('a line that is too long is rejected before it fills the memory', async () => {
  const chunks = [Buffer.from('ok\n'), Buffer.alloc(600), Buffer.alloc(600)];
  await assert.rejects(linesOf(chunks, 1024), /^Failure: line 2 of the input is longer than 1KiB$/);
});
