// `npm start`: a playground as soon as what the command needs is installed. The rest of the installation, the bundle that
// makes the next start quicker, and the console follow while it runs, and a server finds them once they are there.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, homedir, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './installation.mjs';

/** A server that is not listed by then has no home to be listed in, or a busy machine. */
const listedWithinMs = 60_000;
const pollMs = 100;

let isRunning = true;
let stopStep = () => {};

/** Ends with the reason why the step failed, or undefined. */
async function runStep(script, ...args) {
  const child = spawn(process.execPath, [join(root, 'scripts', script), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own, which this process ends after the server.
    detached: true,
  });
  try {
    // Clients at work come first.
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or could not be started.
  }
  stopStep = () => {
    try {
      process.kill(-child.pid, 'SIGTERM');
    } catch {
      // As above.
    }
  };
  let said = '';
  child.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-2_000);
  });
  const status = await new Promise((resolve) => {
    child.on('error', resolve);
    child.on('close', resolve);
  });
  stopStep = () => {};
  if (status === 0) return undefined;
  return said.trim().split('\n').at(-1) || `${script} ended with ${status}`;
}

/** bin/weir becomes the server, which lists itself by its process id when it serves. */
async function untilListed(pid) {
  const path = join(homedir(), '.weir', 'running', `${pid}.json`);
  for (let ms = 0; ms < listedWithinMs && isRunning && !existsSync(path); ms += pollMs) await sleep(pollMs);
}

async function completeInstallation() {
  const failure =
    (await runStep('install.mjs')) ?? (isRunning ? await runStep('build-console.mjs') : undefined);
  // A step that ended with the server is taken up by the next start.
  if (failure !== undefined && isRunning)
    process.stderr.write(`weir: the console is missing: ${failure.replace(/^weir: /, '')}\n`);
}

// A terminal sends them to the whole group, and a supervisor to this process alone. The server decides when it ends.
const server = spawn(join(root, 'bin/weir'), ['playground', ...process.argv.slice(2)], { stdio: 'inherit' });
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
server.on('error', ({ message }) => process.stderr.write(`weir: ${message}\n`));
server.on('close', (status) => {
  isRunning = false;
  stopStep();
  process.exitCode = status ?? 1;
});

await untilListed(server.pid);
if (isRunning) await completeInstallation();
