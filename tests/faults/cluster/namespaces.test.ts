import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Namespaces } from './namespaces.ts';

test('what is cut reaches nothing until it heals, and everything else goes on', async (t: TestContext) => {
  const made = Namespaces.make(2);
  if ('missing' in made) {
    t.skip(made.missing);
    return;
  }
  t.after(() => made.remove());
  const server = createServer((socket) => socket.end()).listen(0, made.address('bucket'));
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reaches = (namespace: number) => {
    const [program, ...args] = made.command(namespace);
    const script = `
      const socket = require('node:net').connect(${port}, '${made.address('bucket')}', () => process.exit(0));
      socket.on('error', () => process.exit(1));
      socket.setTimeout(700, () => process.exit(2));
    `;
    // Asynchronously: the server is in this process.
    return new Promise((resolve) => {
      spawn(program!, [...args, process.execPath, '-e', script]).once('exit', resolve);
    });
  };
  assert.deepEqual(await Promise.all([reaches(0), reaches(1)]), [0, 0]);
  made.cut(0, 'bucket');
  assert.deepEqual(await Promise.all([reaches(0), reaches(1)]), [2, 0], 'lost without an error');
  made.heal();
  assert.deepEqual(await Promise.all([reaches(0), reaches(1)]), [0, 0]);
  made.drop('bucket', 1);
  assert.deepEqual(await Promise.all([reaches(0), reaches(1)]), [0, 2], 'also in one direction');
  made.heal();
  made.remove();
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  assert.ok(!stdout.includes(made.command(0)[1]!.split('/').at(-1)!), 'nothing is left behind');
});
