import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { startLocal } from '../brokers/weir-process.ts';
import { testScenarios } from '../compatibility/scenario-program.ts';

const folder = import.meta.dirname;
const built = join(folder, '../../../node_modules/.cache/weir-go');

type GoProgram = 'franz-go' | 'franz-go-sr' | 'sarama' | 'kafka-go';

export interface BuiltGo {
  /** Why it is not available here. */
  readonly missing: string | false;
  readonly program: string;
}

/** Builds a program, or returns the reason why it is not available, as the `skip` of a test. */
export function buildGo(name: GoProgram): BuiltGo {
  return build(name, ['build'], `./${name}`);
}

/** Where a program is when it has been built. */
export function goProgramPath(name: string): string {
  return join(built, name);
}

/** Builds a program of a module that the go.mod in a folder names. */
export function buildGoModule(name: string, packagePath: string, cwd: string): BuiltGo {
  return build(name, ['build'], packagePath, cwd);
}

/** Builds franz-go's own client tests. */
export function buildFranzGoSuite(): BuiltGo & { readonly source: string } {
  return buildGoTests('franz-go-suite', 'github.com/twmb/franz-go/pkg/kgo');
}

/** Builds the tests of a package of a module in go.mod, and returns the path of its source, which some tests read. */
function buildGoTests(name: string, packagePath: string): BuiltGo & { readonly source: string } {
  const made = build(name, ['test', '-c'], packagePath);
  if (made.missing !== false) return { ...made, source: '' };
  const { failure, out } = runGo(['list', '-f', '{{.Dir}}', packagePath], folder);
  return { ...made, missing: failure, source: out.trim() };
}

function build(name: string, command: readonly string[], packagePath: string, cwd = folder): BuiltGo {
  mkdirSync(built, { recursive: true });
  const program = goProgramPath(name);
  return { missing: runGo([...command, '-o', program, packagePath], cwd).failure, program };
}

/** Helm and the types of Kubernetes take ten minutes on two cores that others use too. */
const buildTimeoutMs = 1_800_000;

/** Runs the go command; `failure` is false on success, otherwise the reason. */
function runGo(
  args: readonly string[],
  cwd: string,
): { readonly failure: string | false; readonly out: string } {
  const { PATH, HOME, GOPROXY, GOFLAGS } = systemEnvironment;
  const env = { PATH, HOME, GOPROXY, GOFLAGS, GOTOOLCHAIN: 'local' };
  const { status, error, stdout, stderr } = spawnSync('go', args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: buildTimeoutMs,
  });
  if (error !== undefined) return { failure: `Go cannot be run: ${error.message}`, out: '' };
  if (status === 0) return { failure: false, out: stdout };
  return { failure: `go ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`, out: '' };
}

/** Tests the scenarios of a Go client against a cluster of its own. */
export function testGoClient(name: GoProgram, scenarios: readonly string[]): void {
  const { missing, program } = buildGo(name);
  testScenarios(name, scenarios, missing, async () => {
    const broker = (await startLocal({ after })).address('Kafka');
    return { program: { command: program, args: [] }, broker };
  });
}
