import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The commands below a heading of the tour, as they stand there. */
function commandsOf(heading: string): readonly string[] {
  const from = readme.indexOf(`**${heading}**`);
  assert.ok(from >= 0, heading);
  const block = /^```sh\n([\s\S]*?)^```$/m.exec(readme.slice(from))?.[1] ?? assert.fail(heading);
  return block.trimEnd().split('\n');
}

async function playground(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-tour-'));
  const ports = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0'];
  const child = spawn(join(root, 'bin/weir'), ['playground', '-dataDir', dataDir, ...ports], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  let told = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      told += String(chunk);
      if (told.includes('Ctrl-C stops it.')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${told}`)));
  });
  const found = (pattern: RegExp) => pattern.exec(told)?.[1] ?? assert.fail(`${pattern} in ${told}`);
  const { applicationKey } = JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8'));
  return {
    SERVICE_BOOTSTRAP_PORT: found(/Kafka +localhost:(\d+)/),
    SERVICE_API_URL: found(/control plane +(\S+)/),
    SERVICE_API_KEY: String(applicationKey),
  };
}

const run = promisify(execFile);

/** Only the ports and the key come from elsewhere, which the tour says are printed. */
test('the commands of the tour work one after the other, as they stand there', async (t) => {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...(await playground(t)) };
  const sh = async (line: string) => (await run('/bin/sh', ['-c', line], { cwd: root, env })).stdout;
  const outputs = new Map<string, string>();
  // A tail runs until it is stopped.
  const events = commandsOf('What happened?').filter((line) => !line.includes('events tail'));
  const search = events.find((line) => line.includes('events search'))!;
  for (const line of [...commandsOf('A cluster.'), ...events, 'bin/weir cli mcp-config'])
    outputs.set(line, await sh(line));
  assert.match(outputs.get('bin/weir cli fetch -topic orders -offset earliest')!, /one order/);
  assert.match(outputs.get('bin/weir cli mcp-config')!, /"mcpServers"/);
  // What was denied is an event as soon as the agent has written it.
  let found = outputs.get(search)!;
  while (!found.includes('acl_logs')) found = await sh(search);
  assert.match(found, /would have been denied WRITE of TOPIC orders/);
});
