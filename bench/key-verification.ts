import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog, systemClock, systemRandom } from '@weir/core';
import { openDatabase } from '../packages/controlplane/src/accounts/database/open-database.ts';
import { KeyVerifier } from '../packages/controlplane/src/accounts/keys/key-verifier.ts';
import { Keys } from '../packages/controlplane/src/accounts/keys/keys.ts';
import { type AccountsDatabase, openAccounts } from '../packages/controlplane/src/accounts/open.ts';
import { defaultPasswordCost } from '../packages/controlplane/src/accounts/secrets/password-hash.ts';
import { atLeast, type Benchmark } from './benchmark.ts';
import { sideBySide } from './side-by-side.ts';

const keysOfFullRun = 1_000;
/** Smoke test. */
const fewKeys = 20;
const deps = {
  clock: systemClock,
  log: silentLog,
  random: systemRandom,
  randomBytes,
  passwordCost: defaultPasswordCost,
};

/** Rate at which a control plane can verify API keys if it does nothing else. */
export const keyVerification: Benchmark = {
  name: 'key-verification',
  async run(effort) {
    const keyCount = effort.turns > 1 ? keysOfFullRun : fewKeys;
    const folder = mkdtempSync(join(tmpdir(), 'weir-bench-keys-'));
    const path = join(folder, 'weir.db');
    const accounts = await openAccounts(path, deps);
    const { database, close } = await openDatabase(path, deps);
    try {
      const secrets = await makeKeys(accounts, keyCount);
      const remembered = {
        name: 'remembered',
        async run() {
          for (const secret of secrets) await accounts.keyVerifier.verify(secret);
        },
      };
      const hashing = {
        name: 'hashing',
        run: () => secrets.map((secret) => createHash('sha256').update(secret).digest()),
      };
      const uncached = {
        name: 'asked for',
        async run() {
          // A verifier with an empty cache. The other verifier has already recorded that the keys are in use.
          const verifier = new KeyVerifier(database, new Keys(database, deps), deps);
          for (const secret of secrets) await verifier.verify(secret);
          await verifier.close();
        },
      };
      const warm = await sideBySide(remembered, hashing, effort);
      const cold = await sideBySide(remembered, uncached, { ...effort, turns: Math.min(effort.turns, 4) });
      const row = (what: string, msPerRound: number, perSecondMin: number, detail: string) => ({
        what: `API keys verified, ${what}`,
        result: Math.round((keyCount / msPerRound) * 1_000),
        unit: '/s' as const,
        bar: atLeast(perSecondMin),
        detail,
      });
      const ratio = warm.referenceOverSubject;
      return [
        row('remembered', warm.subjectMs, 100_000, `hashing alone takes ${(ratio * 100).toFixed(0)} % of it`),
        row('asked for in SQLite', cold.referenceMs, 2_000, 'one after the other'),
      ];
    } finally {
      await close();
      await accounts.close();
      rmSync(folder, { recursive: true });
    }
  },
};

async function makeKeys({ accounts, keys, keyVerifier }: AccountsDatabase, count: number): Promise<string[]> {
  const { account, workspaceId } = await accounts.create('Bench');
  const grants = [{ principalKind: 'app', resourceKind: '*', resourceId: '*', workspaceId } as const];
  const secrets: string[] = [];
  for (let n = 0; n < count; n++) {
    const { secret } = await keys.create(account.id, { name: `key_${n}`, grants, createdBy: '' });
    secrets.push(secret);
  }
  for (const secret of secrets) await keyVerifier.verify(secret);
  await keyVerifier.close();
  return secrets;
}
