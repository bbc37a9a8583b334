import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { signInContract } from '../../../testing/sign-in-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-sign-in-'));
after(() => rmSync(folder, { recursive: true }));

signInContract('memory', () => `memory://${randomUUID()}`);
signInContract('SQLite', () => join(folder, randomUUID(), 'weir.db'));
