import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { startLocal } from '../brokers/weir-process.ts';
import { testScenarios } from '../compatibility/scenario-program.ts';

const folder = import.meta.dirname;
const built = join(folder, '../../../node_modules/.cache/weir-go');

export type GoProgram = 'franz-go' | 'sarama' | 'kafka-go';

/** Builds a program, or says why it cannot be had here, as the `skip` of a test. */
function buildGo(name: GoProgram): { readonly missing: string | false; readonly program: string } {
  mkdirSync(built, { recursive: true });
  const program = join(built, name);
  const made = runGo(['build', '-o', program, `./${name}`], folder);
  return { missing: made, program };
}

/** Runs the go command; false when it succeeded, and otherwise the reason. */
function runGo(args: readonly string[], cwd: string): string | false {
  const { PATH, HOME, GOPROXY, GOFLAGS } = systemEnvironment;
  const env = { PATH, HOME, GOPROXY, GOFLAGS, GOTOOLCHAIN: 'local' };
  const { status, error, stderr } = spawnSync('go', args, { cwd, env, encoding: 'utf8', timeout: 600_000 });
  if (error !== undefined) return `Go cannot be run: ${error.message}`;
  return status === 0 ? false : `go ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`;
}

/** Tests the scenarios of a client for Go, against a cluster of its own. */
export function testGoClient(name: GoProgram, scenarios: readonly string[]): void {
  const { missing, program } = buildGo(name);
  testScenarios(name, scenarios, missing, async () => {
    const broker = (await startLocal({ after })).address('Kafka');
    return { program: { command: program, args: [] }, broker };
  });
}
