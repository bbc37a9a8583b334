// npm runs this at the end of `npm ci` and `npm install`, on whatever Node the machine has.
import { spawnSync } from 'node:child_process';
import { hasTools, missingRuntime, removeHeaders, root, sizeOfInstallation } from './installation.mjs';

/** `git config weir.tools true` is for contributors who call the tools directly: it makes every `npm ci` bring them. */
function wantsTools() {
  const { status, stdout } = spawnSync('git', ['config', '--type=bool', '--get', 'weir.tools'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 && stdout.trim() === 'true';
}

removeHeaders();
const { bundleIfStale } = await import('./bundle.mjs');
await bundleIfStale();
const missing = missingRuntime();
if (missing !== undefined) {
  process.stderr.write(`weir: ${missing}\n`);
} else if (hasTools()) {
  process.stdout.write(`weir: installed, with the tools of contributors: ${sizeOfInstallation()}\n`);
} else if (wantsTools() && process.env.WEIR_ADDS_TOOLS === undefined) {
  const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, {
    cwd: root,
    env: { ...process.env, WEIR_ADDS_TOOLS: 'yes' },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else {
  process.stdout.write(
    `weir: installed what running needs: ${sizeOfInstallation()}. npm start starts a cluster;\n`,
  );
  process.stdout.write('weir: npm test first adds the tools of contributors.\n');
}
