import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { controlPlaneLimits } from '../limits.ts';
import { readPrivateFile, readTrustedFile } from './private-file.ts';

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'weir-private-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const modes: [mode: number, isPrivate: boolean, isTrusted: boolean][] = [
  [0o400, true, true],
  [0o600, true, true],
  [0o440, true, true],
  [0o640, true, true],
  [0o660, false, false],
  [0o644, false, true],
  [0o604, false, true],
  [0o602, false, false],
  [0o777, false, false],
];

for (const [mode, isPrivate, isTrusted] of modes) {
  test(`a file with mode ${mode.toString(8)}`, async (t) => {
    const path = join(folder(t), 'file');
    writeFileSync(path, 'hush');
    chmodSync(path, mode);
    for (const [read, isRead] of [
      [readPrivateFile, isPrivate],
      [readTrustedFile, isTrusted],
    ] as const) {
      if (isRead) assert.equal(await read(path), 'hush');
      else
        await assert.rejects(
          read(path),
          /has mode 0\d{3}, which lets in too many; chmod it to 06\d\d or less/,
        );
    }
  });
}

test('the mode of the file counts, not that of a symbolic link to it', async (t) => {
  const path = join(folder(t), 'file');
  writeFileSync(path, 'hush', { mode: 0o644 });
  symlinkSync(path, `${path}-link`);
  await assert.rejects(readPrivateFile(`${path}-link`), /mode 0644/);
});

test('a missing or too large file is refused', async (t) => {
  const path = join(folder(t), 'file');
  await assert.rejects(readPrivateFile(path), /ENOENT/);
  writeFileSync(path, Buffer.alloc(controlPlaneLimits.settingsFileBytesMax + 1), { mode: 0o600 });
  await assert.rejects(readPrivateFile(path), /at most \d+ are read/);
});
