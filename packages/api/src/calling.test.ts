import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Schemas take long to load, and the policy of the console refuses the code that their library compiles. */
test('calling the API loads no schemas', () => {
  const program = `
    import { registerHooks } from 'node:module';
    const importers = [];
    registerHooks({
      resolve(specifier, context, next) {
        if (/^zod(?:$|\\/)/.test(specifier)) importers.push(context.parentURL);
        return next(specifier, context);
      },
    });
    await import(${JSON.stringify(new URL('./calling.ts', import.meta.url).href)});
    process.stdout.write(JSON.stringify(importers));
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(stdout, '[]', stderr);
});
