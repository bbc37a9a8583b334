import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { systemEnvironment } from '@weir/core';

/** What a run of the light client prints. */
export interface LightSummary {
  readonly bytes: number;
  readonly requests: number;
  readonly seconds: number;
  /** Of the client itself. */
  readonly cpuSeconds: number;
  /** Of produce requests, from when they were due; 0 for a fetch. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** Runs the light client, on the given cores if any; the flags are in its `main.go`. */
export type RunLight = (args: readonly string[], cores?: string) => Promise<LightSummary>;

const source = join(import.meta.dirname, '../light-client');
const program = join(import.meta.dirname, '../../node_modules/.cache/weir-go/light-client');
const runMsMax = 10 * 60_000;

/** Whether Go, which builds the client, cannot be run. */
export function missingGo(): boolean {
  return spawnSync('go', ['version'], { env: environment() }).status !== 0;
}

/** Builds the client before its first run. It has no dependencies, so that nothing is downloaded. */
export function lightClient(): RunLight {
  const run = promisify(execFile);
  const env = environment();
  let building: Promise<unknown> | undefined;
  return async (args, cores) => {
    mkdirSync(dirname(program), { recursive: true });
    building ??= run('go', ['build', '-o', program, '.'], { cwd: source, env });
    await building;
    const [file, ...rest] = [...(cores === undefined ? [] : ['taskset', '-c', cores]), program, ...args];
    const { stdout } = await run(file!, rest, { env, timeout: runMsMax });
    return JSON.parse(stdout) as LightSummary;
  };
}

function environment() {
  const { PATH, HOME } = systemEnvironment;
  return { PATH, HOME, GOTOOLCHAIN: 'local' };
}
