import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

test('what nests as deep as limits allow fits two thirds of the stack before its code is optimised', async () => {
  const program = fileURLToPath(import.meta.resolve('../testing/deepest-inputs.ts'));
  // Processes have 984 KiB. Frames of the interpreter are the largest.
  const flags = ['--stack-size=656', '--no-opt', '--no-maglev', '--no-sparkplug'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program]);
  assert.equal(stdout, '');
});
