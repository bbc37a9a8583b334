import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../child-output.ts';

/**
 * The conformance tools have about two hundred packages, so they are installed in a separate folder, only when needed.
 */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/weir-mcp-clients');
const listed = join(import.meta.dirname, 'clients');
const bins = {
  conformance: join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'),
  inspector: join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
};

/** Why the tools are not available here, as the `skip` of a test. */
export function missingImplementations(): string | false {
  if (isThere()) return false;
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(listed, name), join(folder, name));
  // Not `npm ci`, which requires optional packages for other platforms that not every registry has.
  const options = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { error, stderr } = spawnSync('npm', options, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (isThere()) return false;
  return `failed to install the conformance tools: ${error?.message ?? (stderr ?? '').trim().split('\n').at(-1)}`;
}

function isThere(): boolean {
  return Object.values(bins).every((bin) => existsSync(bin));
}

export interface ConformanceResult {
  readonly status: number | NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a conformance tool with this Node runtime. Its home directory is the cache folder too. */
export async function runTool(
  name: keyof typeof bins,
  args: readonly string[],
  cwd: string = folder,
): Promise<ConformanceResult> {
  const child = spawn(process.execPath, [bins[name], ...args], {
    cwd,
    // Loading modules takes most of the time of a call.
    env: { PATH: '/usr/bin:/bin', HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') },
    timeout: 240_000,
    killSignal: 'SIGKILL',
  });
  return outputOf(child);
}
