import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { systemClock, systemEnvironment } from '@weir/core';

const bin = join(import.meta.dirname, '../../../bin/weir');
/** Generous, because the machine may be busy with all other tests. No test measures this time. */
const patienceMs = 180_000;

/** A running `weir` command and its output. */
export class Command {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | string>;
  out = '';
  err = '';

  constructor(t: TestContext, args: readonly string[]) {
    const { PATH, HOME } = systemEnvironment;
    // Environment variables of the test machine must not configure the process under test.
    this.#child = spawn(bin, args, { env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve(signal ?? code ?? 'nothing'));
    });
    t.after(async () => {
      this.#child.kill('SIGKILL');
      await this.#ended;
    });
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves to its exit status, or the signal that ended it. */
  ended(): Promise<number | string> {
    return this.#ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until its output, on either stream, matches. */
  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    return until(`what ${pattern} finds`, () => {
      const found = pattern.exec(this.out) ?? pattern.exec(this.err);
      if (found === null && !this.isRunning) throw new Error(`it ended; it said:\n${this.out}${this.err}`);
      return found ?? undefined;
    });
  }
}

/** One process of a supervisor, from its announcement. */
interface Announced {
  readonly pid: number;
  readonly agentId: string;
  readonly kafka: string;
  readonly http: string;
}

interface TestEnvironment {
  readonly controlPlane: Command;
  /** Arguments for an agent of this cluster, with free ports. */
  readonly agent: readonly string[];
}

/** Starts a control plane and a bucket for agents to join. */
export async function startTestEnvironment(t: TestContext): Promise<TestEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-supervised-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clusterId = `vci_${randomUUID().replaceAll('-', '_')}`;
  const agentKey = `aks_${randomBytes(32).toString('hex')}`;
  const identity = ['-defaultVirtualClusterID', clusterId, '-agentKey', agentKey];
  const controlPlane = new Command(t, [
    'control-plane',
    ...identity,
    ...['-dataDir', folder, '-bindAddress', '127.0.0.1', '-consolePort', '0'],
  ]);
  const [, url] = await controlPlane.waitForOutput(/control plane +(\S+)\n/);
  return {
    controlPlane,
    agent: [
      'agent',
      ...identity,
      ...['-metadataURL', url!, '-bucketURL', pathToFileURL(join(folder, 'bucket')).href],
      ...['-availabilityZone', 'test', '-bindAddress', '127.0.0.1'],
      ...['-kafkaPort', '0', '-httpPort', '0', '-gracefulShutdownDuration', '5s'],
    ],
  };
}

/** Starts a supervisor and reads the list of its processes. */
export async function startSupervisor(
  t: TestContext,
  { agent }: TestEnvironment,
  processes: number,
): Promise<{ readonly supervisor: Command; readonly announced: readonly Announced[] }> {
  const supervisor = new Command(t, [...agent, '-processes', String(processes)]);
  await supervisor.waitForOutput(
    new RegExp(`is ready with ${processes} processes\\n(.*\\n){${3 * processes}}`),
  );
  const pattern = /process \d+, pid (\d+), agent (\S+)\n +Kafka +(\S+)\n +HTTP +(\S+)\n/g;
  const announced = Array.from(supervisor.out.matchAll(pattern), ([, pid, agentId, kafka, http]) => ({
    pid: Number(pid),
    agentId: agentId!,
    kafka: kafka!,
    http: http!,
  }));
  return { supervisor, announced };
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits for a value; throws on timeout. */
export async function until<Value>(what: string, find: () => Value | undefined): Promise<Value> {
  const endMs = systemClock.monotonicMs() + patienceMs;
  while (true) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    if (systemClock.monotonicMs() > endMs) throw new Error(`waited in vain for ${what}`);
    await new Promise<void>((resolve) => systemClock.after(20, resolve));
  }
}
